import { newOwnership, scanAces, stateOwnership } from './aces.ts';
import { collectedValue } from './computer-settings.ts';
import { type Draft, notAcl, type Principal } from './draft.ts';
import { model } from './members.ts';
import { type AdObject, objectConverter } from './object.ts';
import type { MutableProperties } from './properties.ts';
import { Field } from './statements.ts';

const registryModel = model(
  'CASecurity',
  'EnrollmentAgentRestrictions',
  'IsUserSpecifiesSanEnabled',
  'RoleSeparationEnabled',
);
const securityModel = model('Collected', 'Data');
const restrictionsModel = model('Collected', 'Restrictions');
const restrictionModel = model('AccessType', 'Agent', 'AllTemplates', 'Template');
const endpointModel = model('Collected', 'Result');
const webModel = model('Url', 'ADCSWebEnrollmentHTTP', 'ADCSWebEnrollmentHTTPS', 'ADCSWebEnrollmentEPA');

type CaName = 'HostingComputer' | 'EnabledCertTemplates' | 'CARegistryData' | 'HttpEnrollmentEndpoints';

export const convertEnterpriseCa = objectConverter<CaName>(
  {
    type: 'EnterpriseCA',
    names: ['HostingComputer', 'EnabledCertTemplates', 'CARegistryData', 'HttpEnrollmentEndpoints'],
  },
  (ca) => {
    const templates = stateTemplates(ca);
    const host = stateHost(ca);
    stateRegistry(ca, templates, host);
    stateEndpoints(ca.draft, ca.members.HttpEnrollmentEndpoints, ca.properties);
  },
);

/** The templates that are published on the authority. */
function stateTemplates({ draft, id, members }: AdObject<CaName>): string[] {
  const templates: string[] = [];
  const value = members.EnabledCertTemplates;
  draft.list(value, 'EnabledCertTemplates').forEach((element, index) => {
    const template = draft.principal(element, `EnabledCertTemplates[${index}]`);
    if (template === undefined) return;
    // Whatever it is called: only a template can be published.
    draft.stub(template.id, 'CertTemplate');
    draft.edge(template.id, 'PublishedTo', id, Field.EnabledCertTemplates);
    templates.push(template.id);
  });
  if (Array.isArray(value)) draft.whole(id, Field.EnabledCertTemplates);
  return templates;
}

function stateHost({ draft, id, members }: AdObject<CaName>): string | undefined {
  const host = draft.id(members.HostingComputer, 'HostingComputer');
  if (host === undefined) return undefined;
  draft.stub(host, 'Computer');
  draft.edge(host, 'HostsCAService', id, Field.HostingComputer);
  draft.whole(id, Field.HostingComputer);
  return host;
}

/** What was read from the registry of the authority's host. */
function stateRegistry(ca: AdObject<CaName>, templates: readonly string[], host: string | undefined): void {
  const { draft, members, properties } = ca;
  const object = draft.object(members.CARegistryData, 'CARegistryData');
  if (object === undefined) return;
  const registry = registryModel(object);
  stateRestrictions(ca, registry.EnrollmentAgentRestrictions, templates);
  const sanPath = 'CARegistryData.IsUserSpecifiesSanEnabled';
  const san = collectedValue(draft, registry.IsUserSpecifiesSanEnabled, sanPath);
  if (san !== undefined) properties.isuserspecifiessanenabled = draft.flag(san, `${sanPath}.Value`);
  const rolesPath = 'CARegistryData.RoleSeparationEnabled';
  const roles = collectedValue(draft, registry.RoleSeparationEnabled, rolesPath);
  if (roles !== undefined) properties.roleseparationenabled = draft.flag(roles, `${rolesPath}.Value`);
  stateSecurity(ca, registry.CASecurity, host);
}

/** Who may enroll on behalf of others. The edges end at templates, so they remember the authority. */
function stateRestrictions(ca: AdObject<CaName>, value: unknown, templates: readonly string[]): void {
  const { draft, id, properties } = ca;
  const path = 'CARegistryData.EnrollmentAgentRestrictions';
  const object = draft.object(value, path);
  if (object === undefined) return;
  const { Collected, Restrictions } = restrictionsModel(object);
  if (!draft.flag(Collected, `${path}.Collected`)) return;
  const restrictions = draft.list(Restrictions, `${path}.Restrictions`);
  properties.hasenrollmentagentrestrictions = restrictions.length > 0;
  draft.whole(id, Field.EnrollmentAgentRestrictions);
  restrictions.forEach((element, index) => {
    const at = `${path}.Restrictions[${index}]`;
    const members = draft.object(element, at);
    if (members === undefined) return;
    const restriction = restrictionModel(members);
    if (restriction.AccessType !== 'AccessAllowedCallback') return;
    const agent = draft.principal(restriction.Agent, `${at}.Agent`);
    if (agent === undefined) return;
    draft.stub(agent.id, agent.type);
    for (const template of restrictedTo(draft, restriction, templates, at)) {
      draft.stub(template, 'CertTemplate');
      draft.edges.push({
        start: agent.id,
        end: template,
        kind: 'DelegatedEnrollmentAgent',
        properties: notAcl,
        by: Field.EnrollmentAgentRestrictions,
        through: id,
      });
    }
  });
}

function restrictedTo(
  draft: Draft,
  restriction: ReturnType<typeof restrictionModel>,
  templates: readonly string[],
  path: string,
): readonly string[] {
  if (draft.flag(restriction.AllTemplates, `${path}.AllTemplates`)) return templates;
  const template = draft.principal(restriction.Template, `${path}.Template`);
  return template === undefined ? [] : [template.id];
}

const registryRights: ReadonlySet<string> = new Set(['ManageCA', 'ManageCertificates', 'Enroll']);

/**
 * The authority's own security adds to what the directory says. Ownership is told of both together: the
 * directory's ACEs take part again, except those that the registry knows better.
 */
function stateSecurity(ca: AdObject<CaName>, value: unknown, host: string | undefined): void {
  const { draft, id, members, properties } = ca;
  const path = 'CARegistryData.CASecurity';
  const object = draft.object(value, path);
  if (object === undefined) return;
  const { Collected, Data } = securityModel(object);
  if (!draft.flag(Collected, `${path}.Collected`)) return;
  const ownership = newOwnership();
  const fromRegistry = {
    path: `${path}.Data`,
    field: Field.CASecurity,
    accepts: (principal: Principal, right: string) => principal.type !== 'ADLocalGroup' && right !== 'Owns',
  };
  scanAces(draft, id, draft.list(Data, `${path}.Data`), fromRegistry, ownership);
  const fromDirectory = {
    path: 'Aces',
    field: Field.Aces,
    accepts: (principal: Principal, right: string) => principal.id === host || !registryRights.has(right),
  };
  const aces = Array.isArray(members.Aces) ? members.Aces : [];
  scanAces(draft, id, aces, fromDirectory, ownership);
  stateOwnership(draft, id, ownership, properties);
  draft.whole(id, Field.CASecurity);
}

/** Web pages for enrollment that an attacker could relay to: without TLS, or without channel binding. */
function stateEndpoints(draft: Draft, value: unknown, properties: MutableProperties): void {
  const http: string[] = [];
  const https: string[] = [];
  let isCollected = false;
  draft.list(value, 'HttpEnrollmentEndpoints').forEach((element, index) => {
    const path = `HttpEnrollmentEndpoints[${index}]`;
    const object = draft.object(element, path);
    if (object === undefined) return;
    const { Collected, Result } = endpointModel(object);
    if (!draft.flag(Collected, `${path}.Collected`)) return;
    isCollected = true;
    const result = draft.object(Result, `${path}.Result`);
    const endpoint = webModel(result ?? {});
    if (typeof endpoint.Url !== 'string') return;
    const url = draft.text(endpoint.Url, `${path}.Result.Url`);
    if (endpoint.ADCSWebEnrollmentHTTP === true) http.push(url);
    if (endpoint.ADCSWebEnrollmentHTTPS === true && endpoint.ADCSWebEnrollmentEPA !== true) https.push(url);
  });
  if (!isCollected) return;
  properties.httpenrollmentendpoints = http.length > 0 ? http : null;
  properties.httpsenrollmentendpoints = https.length > 0 ? https : null;
  properties.hasvulnerableendpoint = http.length + https.length > 0;
}
