import { accountNames, stateAccount, stateDelegation } from './accounts.ts';
import { registryNames, stateComputerSettings } from './computer-settings.ts';
import { Draft } from './draft.ts';
import { localNames, stateLocalGroups, stateUserRights } from './local-groups.ts';
import { type AdObject, objectConverter, stateDomain, stateTargets } from './object.ts';
import { sessionSets, stateSessions } from './sessions.ts';
import { type Converter, Field } from './statements.ts';

const ownNames = ['AllowedToAct', 'DumpSMSAPassword', 'IsDC'] as const;

const convert = objectConverter(
  {
    type: 'Computer',
    names: [...accountNames, ...ownNames, ...sessionSets, ...localNames, ...registryNames],
  },
  (computer) => {
    const { draft, id, members } = computer;
    stateAccount(computer);
    for (const actor of draft.principals(members.AllowedToAct, 'AllowedToAct')) {
      draft.edge(actor.id, 'AllowedToAct', id, Field.AllowedToAct);
    }
    stateTargets(computer, members.DumpSMSAPassword, {
      kind: 'DumpSMSAPassword',
      path: 'DumpSMSAPassword',
      field: Field.DumpSMSAPassword,
    });
    stateDomainRole(computer);
    const sessions = stateSessions(computer);
    const localGroups = stateLocalGroups(computer);
    computer.node.scanned = { sessions, localGroups };
    stateUserRights(computer);
    stateComputerSettings(computer);
  },
);

/** A domain controller may delegate by its nature; that is no finding. */
function stateDomainRole(computer: AdObject<(typeof accountNames)[number] | 'IsDC'>): void {
  const { draft, members } = computer;
  const isController = draft.flag(members.IsDC, 'IsDC') && Boolean(members.DomainSID);
  if (isController) stateDomain(computer, members.DomainSID, 'DCFor', Field.Delegation);
  else stateDelegation(computer);
}

/** Before this version of the format, computers had other members. */
const firstVersion = 5;

export const convertComputer: Converter = (record, context) => {
  if (context.version >= firstVersion) return convert(record, context);
  const draft = new Draft(context);
  draft.skipped = `computers before version ${firstVersion}`;
  if (context.index === 0) {
    draft.warn(
      '',
      `computers are read from version ${firstVersion} on, this file has version ${context.version}`,
    );
  }
  return draft;
};
