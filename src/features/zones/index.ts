export { registerZones } from './routes.ts';
export { readZones, seedTags } from './seed.ts';
export { tagExists } from './store.ts';
export { hygieneTag, maxZones, tierZeroTag } from './tags.ts';
