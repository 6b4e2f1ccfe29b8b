import { objectConverter, stateDomain } from './object.ts';
import { Field } from './statements.ts';

export const convertAiaCa = objectConverter({ type: 'AIACA' });

export const convertCertTemplate = objectConverter({ type: 'CertTemplate' });

export const convertRootCa = objectConverter({ type: 'RootCA', names: ['DomainSID'] }, (authority) => {
  stateDomain(authority, authority.members.DomainSID, 'RootCAFor', Field.DomainSID);
});

export const convertNtAuthStore = objectConverter({ type: 'NTAuthStore', names: ['DomainSID'] }, (store) => {
  stateDomain(store, store.members.DomainSID, 'NTAuthStoreFor', Field.DomainSID);
});

/** A policy can be linked to a group: who gets its certificate counts as a member. */
export const convertIssuancePolicy = objectConverter(
  { type: 'IssuancePolicy', names: ['GroupLink'] },
  ({ draft, id, members, properties }) => {
    const group = draft.principal(members.GroupLink, 'GroupLink');
    if (group === undefined) return;
    properties.grouplinkid = group.id;
    draft.stub(group.id, group.type);
    draft.edge(id, 'OIDGroupLink', group.id, Field.GroupLink);
  },
);
