import Type, { type Static } from 'typebox';
import { published, Struct, visibleName } from '../../http/schemas.ts';
import { clientTypes, collectionMembers } from '../jobs/index.ts';
import { eventMembers } from '../schedules/index.ts';

const Name = Type.String({
  minLength: 1,
  maxLength: 250,
  description: 'Unique; blanks around it do not count',
  ...published({ pattern: visibleName }),
});
const DomainController = Type.Optional(
  Type.Union([Type.String({ maxLength: 250 }), Type.Null()], {
    description: 'The domain controller to ask; null or an empty text: any',
  }),
);

/** Taken because deployed clients send them. */
const withoutEffect = Type.Optional(
  Type.Union([Type.String({ maxLength: 1000 }), Type.Null()], {
    description: 'No effect: collectors sign their requests or use OAuth 2.0',
  }),
);
const authMembers = {
  auth_type: withoutEffect,
  issuer_address: withoutEffect,
  issuer_address_override: withoutEffect,
};

export const CreateClientRequest = Struct({
  name: Name,
  type: Type.Enum([...clientTypes]),
  domain_controller: DomainController,
  ...authMembers,
  events: Type.Optional(Type.Array(Struct(eventMembers), { maxItems: 100, description: 'Its schedules' })),
});

export const UpdateClientRequest = Struct({
  name: Name,
  domain_controller: DomainController,
  ...authMembers,
});

export const JobRequest = Struct(
  { ...collectionMembers, domain_controller: DomainController },
  { title: 'JobRequest' },
);

/** What collectors send of themselves. Members that are not listed here are ignored. */
const Told = Type.Optional(Type.Union([Type.String(), Type.Null()]));
export const HostRequest = Type.Object({
  address: Told,
  hostname: Told,
  username: Told,
  version: Told,
  usersid: Told,
});

export const ErrorRequest = Type.Object({
  task_error: Type.String(),
  additional: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
});

export type CreateClient = Static<typeof CreateClientRequest>;
export type UpdateClient = Static<typeof UpdateClientRequest>;
export type JobWish = Static<typeof JobRequest>;
export type HostReport = Static<typeof HostRequest>;
export type ErrorReport = Static<typeof ErrorRequest>;
