/** Every permission there is, as `authority.name`. Roles are sets of these (`features/auth/roles.ts`). */
export const permissions = [
  'alerts.Manage',
  'alerts.Read',
  'app.ReadAppConfig',
  'app.WriteAppConfig',
  'audit_log.Read',
  'auth.AcceptEULA',
  'auth.CreateToken',
  'auth.ManageProviders',
  'auth.ManageSelf',
  'auth.ManageUsers',
  'auth.ReadProviders',
  'auth.ReadUsers',
  'auth.ReadUsersMinimal',
  'clients.Manage',
  'clients.Read',
  'clients.Tasking',
  'collection.ManageJobs',
  'collection.ReadJobs',
  'db.Wipe',
  'graphdb.IngestManage',
  'graphdb.IngestRead',
  'graphdb.Mutate',
  'graphdb.Read',
  'graphdb.Write',
  'opengraph.Read',
  'opengraph.Write',
  'risks.GenerateReport',
  'risks.ManageRisks',
  'saved_queries.Read',
  'saved_queries.Write',
] as const;

export type Permission = (typeof permissions)[number];

interface CallerOf<Kind extends 'user' | 'client'> {
  readonly kind: Kind;
  readonly id: string;
  /** A user's principal name or a collector's name. */
  readonly name: string;
  /** Left out where the request is signed: then there is no session. */
  readonly sessionId: string | undefined;
  readonly permissions: ReadonlySet<Permission>;
}

export interface UserCaller extends CallerOf<'user'> {
  readonly ssoProviderId: number | null;
  /** The secret has expired: nothing is allowed but to replace it (gap 8.1). */
  readonly mustChangeSecret: boolean;
}

export interface ClientCaller extends CallerOf<'client'> {}

/** Who is calling: a person or a collector. */
export type Caller = UserCaller | ClientCaller;

export interface Actor {
  readonly kind: 'user' | 'client' | 'command' | 'server' | 'anonymous';
  readonly id: string;
  readonly name: string;
}

/** Where a change comes from, for its audit record. */
export interface Origin {
  readonly actor: Actor;
  readonly requestId: string;
  readonly address: string;
}

export function actorOf(caller: Caller | undefined): Actor {
  return caller === undefined
    ? { kind: 'anonymous', id: '', name: '' }
    : { kind: caller.kind, id: caller.id, name: caller.name };
}

/** A change made with the command line, which needs no sign-in: whoever can read the store may do it. */
export const commandLine: Origin = {
  actor: { kind: 'command', id: '', name: 'kennel' },
  requestId: '',
  address: '',
};

/** What the server does by itself, in the background. */
export const serverItself: Origin = {
  actor: { kind: 'server', id: '', name: 'kennel' },
  requestId: '',
  address: '',
};
