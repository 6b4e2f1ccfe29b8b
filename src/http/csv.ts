export type Cell = string | number | null;

/** A spreadsheet takes a cell that begins so for a formula, and would run it. */
const formula = /^[=+\-@\t\r]/;
const special = /[",\r\n]/;

/** One line as RFC 4180 has it, its end included. What is not set is an empty cell; numbers stay numbers. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = formula.test(cell) ? `'${cell}` : cell;
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
