/**
 * The tokens of a Kusto query, with their positions, which error messages contain.
 */

export interface Token {
  readonly kind: 'name' | 'text' | 'number' | 'sign' | 'end';
  readonly value: string;
  readonly at: number;
}

export class QueryError extends Error {
  override readonly name = 'QueryError';
  readonly at: number;
  readonly token: string;

  constructor(at: number, token: string, message: string) {
    super(message);
    this.at = at;
    this.token = token;
  }
}

export function tokenize(query: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < query.length) {
    PATTERN.lastIndex = at;
    const match = PATTERN.exec(query);
    if (match === null)
      throw new QueryError(at, query[at]!, 'the query has a character that means nothing here');
    const { name, verbatim, text, number, sign } = match.groups!;
    if (name !== undefined) tokens.push({ kind: 'name', value: name, at });
    else if (verbatim !== undefined) tokens.push({ kind: 'text', value: verbatim.slice(2, -1), at });
    else if (text !== undefined) tokens.push({ kind: 'text', value: unescaped(text.slice(1, -1)), at });
    else if (number !== undefined) tokens.push({ kind: 'number', value: number, at });
    else if (sign !== undefined) tokens.push({ kind: 'sign', value: sign, at });
    at = PATTERN.lastIndex;
  }
  tokens.push({ kind: 'end', value: '', at: query.length });
  return tokens;
}

// ---------------------------------------------------------------------------------------------------

/** `in~`, `!has` and similar operators are one token. */
const PATTERN =
  /(?<space>\s+|\/\/[^\n]*)|(?<verbatim>@(?:'[^']*'|"[^"]*"))|(?<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")|(?<number>\d+(?:\.\d+)?)|(?<name>!?[A-Za-z_$][\w$]*(?:-[a-z]+)?~?)|(?<sign>==|!=|=~|!~|<=|>=|[|()[\],.<>=])/gy;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, character: string) => ESCAPES[character] ?? character);
}
