import { SaxesParser, type SaxesTagNS } from 'saxes';
import { lineAndColumn, quoteShort } from '../../values/text.ts';
import { XmlProblem } from './xml-problem.ts';

export interface XmlElement {
  readonly namespace: string;
  readonly name: string;
  /** Attributes without a prefix: SAML and XML signatures define no others. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** All text directly inside. */
  readonly text: string;
  /** For messages: the way from the root, with line and column. */
  readonly where: string;
}

const deepest = 32;
const mostElements = 5000;
const mostAttributes = 64;

/**
 * Reads a document into a tree. Nothing is ever fetched or expanded: a DOCTYPE, an entity of the document's own
 * and a processing instruction are refused, and so is what is larger than metadata ever gets.
 */
export function parseXml(text: string): XmlElement {
  return new TreeReader(text).read();
}

class OpenElement implements XmlElement {
  readonly namespace: string;
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: OpenElement[] = [];
  text = '';
  readonly #parent: OpenElement | undefined;
  readonly #place: () => string;

  constructor(tag: SaxesTagNS, parent: OpenElement | undefined, place: () => string) {
    this.namespace = tag.uri;
    this.name = tag.local;
    const plain = Object.values(tag.attributes).filter(({ prefix }) => prefix === '');
    this.attributes = new Map(plain.map(({ name, value }) => [name, value]));
    this.#parent = parent;
    this.#place = place;
  }

  get #path(): string {
    const name = quoteShort(this.name, 40).slice(1, -1);
    return this.#parent === undefined ? name : `${this.#parent.#path}/${name}`;
  }

  /** Worked out only for a message: to do it for each element would take time that grows with the square. */
  get where(): string {
    return `${this.#path}, ${this.#place()}`;
  }
}

class TreeReader {
  readonly #text: string;
  readonly #parser = new SaxesParser({ xmlns: true, defaultXMLVersion: '1.0', forceXMLVersion: true });
  readonly #open: OpenElement[] = [];
  #root: OpenElement | undefined;
  #elements = 0;
  #depth = 0;
  #attributes = 0;
  #startsAt = 0;

  constructor(text: string) {
    this.#text = text;
    const parser = this.#parser;
    // A name without a meaning must stay so, also one that every JavaScript object has.
    parser.ENTITIES = Object.assign(Object.create(null), {
      amp: '&',
      gt: '>',
      lt: '<',
      quot: '"',
      apos: "'",
    });
    parser.on('error', (error) => {
      throw this.#problem(reasonOf(error.message));
    });
    parser.on('xmldecl', ({ version }) => {
      if (version !== undefined && version !== '1.0')
        throw this.#problem(`the document must be XML 1.0, but declares ${quoteShort(version, 20)}`);
    });
    parser.on('doctype', () => {
      throw this.#problem('a DOCTYPE is not allowed: it could define or fetch entities');
    });
    parser.on('processinginstruction', ({ target }) => {
      throw this.#problem(`the processing instruction ${quoteShort(target, 40)} is not allowed`);
    });
    parser.on('opentagstart', ({ name }) => this.#startTag(name));
    parser.on('attribute', () => {
      this.#attributes += 1;
      if (this.#attributes > mostAttributes)
        throw this.#problem(`an element has more than ${mostAttributes} attributes`);
    });
    parser.on('opentag', (tag) => this.#openTag(tag));
    parser.on('text', (text) => this.#addText(text));
    parser.on('cdata', (text) => this.#addText(text));
    parser.on('closetag', () => {
      this.#open.pop();
      this.#depth -= 1;
    });
  }

  read(): XmlElement {
    if (this.#text.trim() === '') throw new XmlProblem('the document is empty');
    this.#parser.write(this.#text).close();
    if (this.#root === undefined) throw new XmlProblem('the document has no element');
    return this.#root;
  }

  /** Counted here, before the parser does any work for the element. */
  #startTag(name: string): void {
    this.#startsAt = this.#parser.position - name.length - 2;
    this.#elements += 1;
    this.#depth += 1;
    this.#attributes = 0;
    if (this.#depth > deepest) throw this.#problem(`elements are nested over ${deepest} levels deep`);
    if (this.#elements > mostElements) throw this.#problem(`there are more than ${mostElements} elements`);
  }

  #openTag(tag: SaxesTagNS): void {
    const parent = this.#open.at(-1);
    const startsAt = this.#startsAt;
    const element = new OpenElement(tag, parent, () => this.#placeOf(startsAt));
    if (parent === undefined) this.#root = element;
    else parent.children.push(element);
    this.#open.push(element);
  }

  #addText(text: string): void {
    const element = this.#open.at(-1);
    if (element !== undefined) element.text += text;
  }

  #problem(reason: string): XmlProblem {
    return new XmlProblem(reason, this.#placeOf(this.#parser.position));
  }

  #placeOf(offset: number): string {
    const { line, column } = lineAndColumn(this.#text, offset);
    return `line ${line}, column ${column}`;
  }
}

/** The parser's words are not for callers; these are, for what people meet. Names that it quotes come last. */
const reasons: readonly [pattern: RegExp, reason: string][] = [
  [/^undefined entity/, 'an entity is used that is not one of &amp; &lt; &gt; &quot; &apos;'],
  [/^(malformed character|empty) entity|character in entity/, 'a character reference or entity is malformed'],
  [/^duplicate attribute/, 'an element has the same attribute twice'],
  [/^(unexpected close tag|unmatched closing tag)/, 'a closing tag does not match the element that is open'],
  [/^(unclosed tag|unexpected end)/, 'the document ends before all of its elements are closed'],
  [/^unbound namespace prefix/, 'a namespace prefix is used that nothing declares'],
  [/^documents may contain only one root/, 'there is a second root element'],
  [/^(text data outside|document must contain)/, 'there is text where only one XML element may be'],
  [/^inappropriately located doctype/, 'a DOCTYPE is not allowed: it could define or fetch entities'],
  [/^processing instruction/, 'a processing instruction is malformed'],
  [/XML declaration/, 'the XML declaration is malformed or not at the very start'],
  [/^(attribute without|unquoted attribute|no whitespace between)/, 'an attribute is malformed'],
  [/^disallowed character/, 'there is a character that XML does not allow here'],
];

function reasonOf(message: string): string {
  const bare = message.replace(/^\d+:\d+: /, '');
  const known = reasons.find(([pattern]) => pattern.test(bare))?.[1] ?? 'there is a syntax error';
  return `the document is not well-formed XML: ${known}`;
}
