import { Draft, nameType, notAcl } from './draft.ts';
import { isObject, model } from './members.ts';
import type { AdObject } from './object.ts';
import { type Converter, Field, type Properties } from './statements.ts';

export const sessionSets = ['Sessions', 'PrivilegedSessions', 'RegistrySessions'] as const;

const resultSet = model('Collected', 'Results');
const session = model('ComputerSID', 'UserSID', 'LogonType');

/** The sessions on a computer; whether any of the three ways to read them worked. They only add up (gap 4.5). */
export function stateSessions({ draft, members }: AdObject<(typeof sessionSets)[number]>): boolean {
  let isScanned = false;
  for (const name of sessionSets) {
    const set = draft.object(members[name], name);
    if (set === undefined) continue;
    const { Collected, Results } = resultSet(set);
    if (!draft.flag(Collected, `${name}.Collected`)) continue;
    isScanned = true;
    draft.list(Results, `${name}.Results`).forEach((value, index) => {
      const path = `${name}.Results[${index}]`;
      const object = draft.object(value, path);
      if (object !== undefined) stateSession(draft, session(object), path, notAcl);
    });
  }
  return isScanned;
}

function stateSession(
  draft: Draft,
  members: ReturnType<typeof session>,
  path: string,
  properties: Properties,
): boolean {
  const prefix = path === '' ? '' : `${path}.`;
  const computer = draft.id(members.ComputerSID, `${prefix}ComputerSID`);
  const user = draft.id(members.UserSID, `${prefix}UserSID`);
  if (computer === undefined || user === undefined) return false;
  draft.stub(computer, 'Computer');
  draft.stub(user, 'User');
  draft.edge(computer, 'HasSession', user, Field.Sessions, properties);
  return true;
}

/** An element of a file of sessions. */
export const convertSession: Converter = (record, context) => {
  const draft = new Draft(context);
  if (!isObject(record)) {
    draft.problem('', `must be an object, but is ${nameType(record)}`);
    return draft;
  }
  const members = session(record);
  const logonType = typeof members.LogonType === 'number' ? members.LogonType : 0;
  const isStated = stateSession(draft, members, '', { logontype: logonType });
  if (!isStated) draft.problem('', 'must have ComputerSID and UserSID');
  return draft;
};
