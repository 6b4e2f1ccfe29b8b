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
  tier_management_engine: {
    name: 'Zones',
    description: 'Zones with selectors (/api/v2/asset-group-tags)',
    enabledByDefault: true,
    userUpdatable: false,
  },
  open_graph_phase_2: {
    name: 'OpenGraph',
    description: 'Nodes and edges of any kind can be ingested and searched',
    enabledByDefault: true,
    userUpdatable: false,
  },
  clear_graph_data: {
    name: 'Clear Graph Data',
    description: 'Collected data can be deleted (POST /api/v2/clear-database)',
    enabledByDefault: true,
    userUpdatable: false,
  },
  openhound_support: {
    name: 'OpenHound',
    description: 'Collectors of type openhound',
    enabledByDefault: true,
    userUpdatable: false,
  },
  oidc_support: {
    name: 'OpenID Connect',
    description: 'Sign-in through OpenID Connect providers: not in this version',
    enabledByDefault: false,
    userUpdatable: false,
  },
  opengraph_extension_management: {
    name: 'OpenGraph Extensions',
    description: 'Managing schema extensions: not in this version',
    enabledByDefault: false,
    userUpdatable: false,
  },
  opengraph_findings: {
    name: 'OpenGraph Findings',
    description: 'Findings about kinds that extensions define: not in this version',
    enabledByDefault: false,
    userUpdatable: false,
  },
} as const satisfies Record<string, Flag>;

export type FeatureFlagKey = keyof typeof featureFlags;
