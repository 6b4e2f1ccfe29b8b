/** What one value may measure. More is left out of the graph, with a warning that names it. */

/** In characters: an index of PostgreSQL takes 2,704 bytes, and a character has up to three of them here. */
export const maxIdLength = 800;
export const maxKindLength = 128;
export const maxKeyLength = 256;
export const maxTextLength = 65_536;
export const maxListLength = 10_000;
/** Warnings of one record that are told one by one. */
export const maxWarnings = 20;
