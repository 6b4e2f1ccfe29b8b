import type { Estate } from '../estate.ts';

/** The domains and tenants that were collected, and who lives in them. */
export interface Environments {
  /** By number; the ids are in upper case. */
  readonly ids: readonly string[];
  /** Whether it is a domain of Active Directory. */
  readonly isDomain: readonly boolean[];
  /** Of each node the number of its environment, -1 when that was not collected. */
  readonly of: Int32Array;
  /** The same for principals alone; those of other environments have the number after the last, other nodes -1. */
  readonly ofPrincipals: Int32Array;
  /** How many principals each has. */
  readonly principals: Int32Array;
}

export const principalKinds = ['User', 'Computer', 'AZUser', 'AZServicePrincipal', 'AZVM'];

export function environmentsOf(estate: Estate): Environments {
  const found = [
    ...estate.nodesOf('Domain').map((node) => ({ node, isDomain: true })),
    ...estate.nodesOf('AZTenant').map((node) => ({ node, isDomain: false })),
  ].filter(({ node }) => estate.property(node, 'collected') === true);
  const ids = found.map(({ node }) => estate.objectId(node));
  const numbers = new Map(ids.map((id, number) => [id, number]));
  const of = new Int32Array(estate.size);
  for (let node = 0; node < estate.size; node++)
    of[node] = numbers.get(estate.environment(node) ?? estate.objectId(node)) ?? -1;
  const ofPrincipals = new Int32Array(estate.size).fill(-1);
  const principals = new Int32Array(ids.length);
  for (const node of principalKinds.flatMap((kind) => estate.nodesOf(kind))) {
    if (ofPrincipals[node] !== -1) continue;
    const number = of[node] as number;
    ofPrincipals[node] = number === -1 ? ids.length : number;
    if (number !== -1) principals[number] = (principals[number] as number) + 1;
  }
  return { ids, isDomain: found.map(({ isDomain }) => isDomain), of, ofPrincipals, principals };
}
