const second = 1000;
const day = 86_400 * second;
/** In the whole tz database two changes of one zone's offset are never less than 3.9 days apart. */
const span = 3 * day;
const rememberedZones = 50;
const rememberedSpans = 4096;

/** The offsets, in milliseconds east of UTC, before and from the one change a span can have. */
interface Span {
  before: number;
  changeAt: number;
  after: number;
}

interface Zone {
  format: Intl.DateTimeFormat;
  spans: Map<number, Span>;
}

const zones = new Map<string, Zone>();

/** How far the zone's wall clock is ahead of UTC at an instant, in milliseconds. The zone must be known. */
export function zoneOffset(zoneName: string, instant: number): number {
  if (zoneName === 'UTC') return 0;
  const zone = findZone(zoneName);
  const number = Math.floor(instant / span);
  let found = zone.spans.get(number);
  if (found === undefined) {
    if (zone.spans.size >= rememberedSpans) zone.spans.clear();
    found = searchSpan(zone, number * span);
    zone.spans.set(number, found);
  }
  return instant < found.changeAt ? found.before : found.after;
}

/** What the zone's wall clock shows at an instant, as milliseconds that would be that reading in UTC. */
export function toWallClock(zoneName: string, instant: number): number {
  return instant + zoneOffset(zoneName, instant);
}

export interface ResolvedTime {
  instant: number;
  /** How many milliseconds the clock skips around this reading; 0 when the reading exists. */
  skipped: number;
}

/**
 * The instant that a wall-clock reading means, by RFC 5545, section 3.3.5: the first one when the clock shows it
 * twice; when the clock skips it, the one by the offset before the gap.
 */
export function fromWallClock(zoneName: string, wallClock: number): ResolvedTime {
  // No offset reaches a day, so these two instants enclose the one that is looked for.
  const before = zoneOffset(zoneName, wallClock - day);
  const after = zoneOffset(zoneName, wallClock + day);
  for (const offset of before === after ? [] : [before, after]) {
    const instant = wallClock - offset;
    if (zoneOffset(zoneName, instant) === offset) return { instant, skipped: 0 };
  }
  return { instant: wallClock - before, skipped: after - before };
}

function findZone(name: string): Zone {
  let zone = zones.get(name);
  if (zone === undefined) {
    if (zones.size >= rememberedZones) zones.clear();
    const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
    zone = { format, spans: new Map() };
    zones.set(name, zone);
  }
  return zone;
}

/** Offsets change at whole seconds, so halving down to one second finds the change exactly. */
function searchSpan(zone: Zone, start: number): Span {
  const before = readOffset(zone, start);
  const after = readOffset(zone, start + span);
  if (before === after) return { before, changeAt: start, after };
  let [low, high] = [start / second, (start + span) / second];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (readOffset(zone, middle * second) === before) low = middle;
    else high = middle;
  }
  return { before, changeAt: high * second, after };
}

/** Reads the end of a text such as "1/31/1850, GMT+00:53:28"; no numbers stand for no offset. */
function readOffset(zone: Zone, instant: number): number {
  const text = zone.format.format(instant);
  const [, sign, ...fields] = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(text) ?? [];
  const [hours = 0, minutes = 0, seconds = 0] = fields.map((field) => Number(field ?? 0));
  return (sign === '-' ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds) * second;
}
