/** Spellings are remembered up to this many per model; a file that invents more is only slower. */
const maxSpellings = 500;

export type Members<Name extends string> = Readonly<Record<Name, unknown>>;

/**
 * A reader of objects whose member names are matched without regard to case, as collectors need it: `GUID` is
 * read as `Guid`. It looks at each member that is there once and at none that is not; the exact spelling wins.
 */
export function model<const Name extends string>(...names: Name[]): (value: object) => Members<Name> {
  const blank = Object.fromEntries(names.map((name) => [name, undefined])) as Record<Name, unknown>;
  const spellings = new Map<string, Name | undefined>(names.map((name) => [name, name]));
  const byLower = new Map(names.map((name) => [name.toLowerCase(), name]));

  function nameOf(key: string): Name | undefined {
    if (spellings.has(key)) return spellings.get(key);
    const name = byLower.get(key.toLowerCase());
    if (spellings.size < maxSpellings) spellings.set(key, name);
    return name;
  }

  return (value) => {
    const members = { ...blank };
    const source = value as Readonly<Record<string, unknown>>;
    for (const key in source) {
      const name = spellings.get(key) ?? nameOf(key);
      if (name === undefined) continue;
      if (key === name || !Object.hasOwn(source, name)) members[name] = source[key];
    }
    return members;
  };
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
