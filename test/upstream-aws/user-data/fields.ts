/**
 * Takes user data apart into single fields, so that two texts can be compared by what a node reads from them. It shares no
 * code with what writes the text.
 */
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';

export type Fields = ReadonlyMap<string, string>;

export function userDataFields(text: string): Fields {
  if (text.startsWith('MIME-Version:')) return mimeFields(text);
  if (text.startsWith('<powershell>')) return powershellFields(text);
  if (/^\s*\[settings/m.test(text)) return new Map(flat(parseToml(text), ''));
  return new Map([['text', text]]);
}

/** `a.b[0].c` → JSON of the value. */
export function flat(value: unknown, path: string): [string, string][] {
  if (typeof value === 'object' && value !== null) {
    const entries = Array.isArray(value)
      ? value.map((each, index): [string, unknown] => [`${path}[${index}]`, each])
      : Object.entries(value).map(([key, each]): [string, unknown] => [
          path === '' ? key : `${path}.${key}`,
          each,
        ]);
    if (entries.length === 0) return [[path, JSON.stringify(value)]];
    return entries.flatMap(([key, each]) => flat(each, key));
  }
  return [[path, JSON.stringify(value) ?? 'null']];
}

// ---------------------------------------------------------------------------------------------------

function mimeFields(text: string): Fields {
  const boundary = /boundary="([^"]+)"/.exec(text)![1]!;
  const [, ...sections] = text.split(`--${boundary}`);
  if (sections.pop()?.trim() !== '--') throw new Error('the MIME message is not closed');
  const fields = sections.flatMap((section, index) => {
    const part = `part[${index}]`;
    const empty = section.indexOf('\n\n');
    const headers = section
      .slice(1, empty)
      .split('\n')
      .map((line): [string, string] => {
        const [name, ...value] = line.split(':');
        return [`${part}.${name!.toLowerCase()}`, value.join(':').trim()];
      });
    // The line break before a boundary belongs to the boundary.
    const body = section.slice(empty + 2).replace(/\n$/, '');
    const type = headers.find(([name]) => name.endsWith('.content-type'))?.[1] ?? '';
    return [...headers, ...bodyFields(type, body, part)];
  });
  return new Map(fields);
}

function bodyFields(type: string, body: string, part: string): [string, string][] {
  if (body.includes('/etc/eks/bootstrap.sh')) return scriptFields(body, part);
  if (type !== 'application/node.eks.aws') return [[`${part}.body`, body]];
  const config: unknown = parseYaml(body, { version: '1.1' });
  if (typeof config !== 'object' || config === null) return [[`${part}.body`, body]];
  return flat(config, part).flatMap(([name, value]) =>
    /kubelet\.flags\[\d+\]$/.test(name)
      ? flagFields(`${part}.flags`, JSON.parse(value) as string)
      : [[name, value]],
  );
}

/** The lines before the call as they are; the call by its arguments. */
function scriptFields(body: string, part: string): [string, string][] {
  const at = body.indexOf('/etc/eks/bootstrap.sh');
  const [, cluster, ...args] = words(body.slice(at));
  return [
    [`${part}.before`, body.slice(0, at)],
    [`${part}.cluster`, cluster!],
    ...argumentFields(args, part),
  ];
}

function powershellFields(text: string): Fields {
  const at = text.indexOf('& $EKSBootstrapScriptFile');
  const end = text.indexOf('\n', at);
  const [, , ...args] = words(text.slice(at, end));
  return new Map([
    ['before', text.slice(0, at)],
    ['after', text.slice(end)],
    ...argumentFields(args, 'call'),
  ]);
}

/** Names and values in turn. */
function argumentFields(args: readonly string[], path: string): [string, string][] {
  return args.flatMap((name, index): [string, string][] => {
    if (index % 2 === 1) return [];
    const value = args[index + 1] ?? '';
    const isKubelet = /^--?kubelet-?extra-?args$/i.test(name);
    return isKubelet
      ? words(value).flatMap((flag) => flagFields(`${path}.kubelet`, flag))
      : [[`${path}.${name}`, value]];
  });
}

/** Lists of a flag as single fields: their order says nothing, except that of taints. */
function flagFields(path: string, flag: string): [string, string][] {
  const equals = flag.indexOf('=');
  const name = `${path}.${flag.slice(0, equals)}`;
  const value = flag.slice(equals + 1).replace(/^"(.*)"$/, '$1');
  if (!/labels|reserved|eviction-(hard|soft)/.test(name)) return [[name, value]];
  return value.split(',').map((pair) => {
    const [, key, each] = /^([^=<]+[=<])(.*)$/.exec(pair)!;
    return [`${name}.${key}`, each!];
  });
}

/** As a shell splits a line: quotes group, and a backslash at the end of a line continues it. */
function words(text: string): string[] {
  const found = text.replaceAll('\\\n', ' ').matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g);
  return [...found].map(([word]) => (/^'.*'$/s.test(word) ? word.slice(1, -1) : word));
}
