/**
 * URLs as Go's `url.ParseRequestURI` takes them: an absolute URL or a path, checked only roughly. JavaScript's own
 * URL class is too strict in some places and changes the text in others.
 */

export interface GoUrl {
  readonly scheme: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  readonly query: string;
}

/** The parts, or Go's error. */
export function parseRequestUrl(text: string): GoUrl | string {
  const refuse = (why: string) => `parse ${JSON.stringify(text)}: ${why}`;
  if (text === '') return refuse('empty url');
  if ([...text].some((char) => char < ' ' || char === '\x7f'))
    return refuse('net/url: invalid control character in URL');
  const fragment = text.indexOf('#');
  const whole = fragment < 0 ? text : text.slice(0, fragment);
  const colon = whole.indexOf(':');
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(whole)?.[0].slice(0, -1) ?? '';
  if (scheme === '' && colon === 0) return refuse('missing protocol scheme');
  const afterScheme = scheme === '' ? whole : whole.slice(scheme.length + 1);
  if (!afterScheme.startsWith('/')) {
    return scheme === '' || afterScheme === '' ? refuse('invalid URI for request') : opaque(scheme);
  }
  const question = afterScheme.indexOf('?');
  const beforeQuery = question < 0 ? afterScheme : afterScheme.slice(0, question);
  const query = question < 0 ? '' : afterScheme.slice(question + 1);
  const hasAuthority = scheme !== '' && beforeQuery.startsWith('//') && !beforeQuery.startsWith('///');
  const [, authority = '', path = beforeQuery] = hasAuthority ? /^\/\/([^/]*)(.*)$/s.exec(beforeQuery)! : [];
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const problem = hostProblem(host) ?? escapeProblem(path);
  return problem === undefined ? { scheme, host, ...hostParts(host), path, query } : refuse(problem);
}

export function queryOf(url: GoUrl): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [key, value] of new URLSearchParams(url.query))
    values.set(key, [...(values.get(key) ?? []), value]);
  return values;
}

// ---------------------------------------------------------------------------------------------------

function opaque(scheme: string): GoUrl {
  return { scheme: scheme.toLowerCase(), host: '', hostname: '', port: '', path: '', query: '' };
}

function hostParts(host: string): { hostname: string; port: string } {
  const match = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(host);
  return { hostname: (match?.[1] ?? host).replace(/^\[|\]$/g, ''), port: match?.[2] ?? '' };
}

function hostProblem(host: string): string | undefined {
  if (host.startsWith('[') && !host.includes(']')) return "missing ']' in host";
  const port = /^(?:\[[^\]]*\]|[^:]*)(:.*)?$/.exec(host)?.[1] ?? '';
  if (!/^(:\d*)?$/.test(port)) return `invalid port ${JSON.stringify(port)} after host`;
  const bad = /[ "<>\\^`{|}]/.exec(host);
  return bad === null ? undefined : `invalid character ${JSON.stringify(bad[0])} in host name`;
}

function escapeProblem(path: string): string | undefined {
  const bad = /%(?![0-9A-Fa-f]{2}).{0,2}/s.exec(path);
  return bad === null ? undefined : `invalid URL escape ${JSON.stringify(bad[0])}`;
}
