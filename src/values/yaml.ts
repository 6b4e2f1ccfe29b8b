/**
 * Writes a JSON value as YAML 1.2, in blocks that people can read. Texts that could be taken for anything else
 * are written as JSON writes them, which YAML reads alike.
 */
export function toYaml(value: unknown): string {
  return `${block(value, 0).trimStart()}\n`;
}

/** What follows a key or a dash: on the same line for plain values, on lines of its own for the others. */
function block(value: unknown, depth: number): string {
  const margin = `\n${'  '.repeat(depth)}`;
  if (Array.isArray(value))
    return value.length === 0
      ? ' []'
      : value.map((item) => `${margin}-${entry(block(item, depth + 1))}`).join('');
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return members.length === 0
      ? ' {}'
      : members.map(([key, member]) => `${margin}${plain(key)}:${block(member, depth + 1)}`).join('');
  }
  return ` ${typeof value === 'string' ? plain(value) : JSON.stringify(value ?? null)}`;
}

/** A list's item that is itself a block begins on the line of its dash. */
function entry(text: string): string {
  return text.startsWith('\n') ? ` ${text.trimStart()}` : text;
}

/** Words that YAML takes for something else than a text. */
const reserved = /^(?:true|false|null|yes|no|on|off|y|n|~)$/i;

function plain(text: string): string {
  const isSafe = /^[A-Za-z/][A-Za-z0-9_/.()*-]*(?: [A-Za-z0-9_/.()*-]+)*$/.test(text) && !reserved.test(text);
  return isSafe ? text : JSON.stringify(text);
}
