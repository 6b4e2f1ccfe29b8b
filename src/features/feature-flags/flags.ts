interface Flag {
  readonly name: string;
  readonly description: string;
  readonly enabledByDefault: boolean;
  /** Others state a fact about this version, which clients ask for before they use it. */
  readonly userUpdatable: boolean;
}

/** Every feature flag there is. The order of the first start gives the ids. */
export const featureFlags = {
  api_docs_page: {
    name: 'API Documentation Page',
    description: 'Whether the page at /api/docs is served',
    enabledByDefault: true,
    userUpdatable: true,
  },
  client_bearer_auth: {
    name: 'Collector Bearer Tokens',
    description: 'Whether collectors may use Bearer tokens; signed requests are not affected',
    enabledByDefault: true,
    userUpdatable: true,
  },
  adcs: {
    name: 'Active Directory Certificate Services',
    description: 'Certificate authorities and templates are part of the graph',
    enabledByDefault: true,
    userUpdatable: false,
  },
} as const satisfies Record<string, Flag>;

export type FeatureFlagKey = keyof typeof featureFlags;
