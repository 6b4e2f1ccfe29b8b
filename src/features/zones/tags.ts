/** Hygiene has no row of its own: it is the reserved tag 0. */
export const hygieneTag = 0;
export const tierZeroTag = 1;

/** Tier Zero included. */
export const maxZones = 10;
/** Of a zone, not counting its default selectors. */
export const maxSelectors = 100;
export const maxSeeds = 500;
export const maxNameLength = 100;
export const maxDescriptionLength = 2000;
