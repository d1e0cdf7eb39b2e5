import { describe, expect, test } from 'vitest';
import { optionHelp, parseOptions } from './option-table.ts';

const TABLE = {
  output: {
    flag: 'output',
    short: 'o',
    type: 'string',
    default: 'text',
    choices: ['text', 'json'],
    doc: 'How to print',
  },
  port: {
    flag: 'port',
    env: 'PORT',
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 65535,
    doc: 'Where to listen',
  },
  color: { flag: 'color', type: 'boolean', default: true, doc: 'Colours' },
  file: {
    flag: 'file',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'FILE',
    doc: 'A file',
  },
  ca: { flag: 'ca', type: 'base64', default: '', doc: 'Certificates' },
  only: { flag: 'only', type: 'list', default: [] as readonly string[], doc: 'Parts' },
} as const;

describe('options', () => {
  test('a flag beats the environment, which beats the default, and each value knows its source', () => {
    expect(parseOptions(TABLE, ['--port', '1'], { PORT: '2' }).values.port).toEqual({
      value: 1,
      source: 'flag',
      path: '--port',
    });
    expect(parseOptions(TABLE, [], { PORT: '2' }).values.port).toEqual({
      value: 2,
      source: 'env',
      path: 'PORT',
    });
    expect(parseOptions(TABLE, [], {}).values.port).toEqual({ value: 0, source: 'hardcoded', path: '' });
  });

  test('flags are read in every usual spelling', () => {
    for (const args of [['-o', 'json'], ['-ojson'], ['-o=json'], ['--output', 'json'], ['--output=json']]) {
      expect(parseOptions(TABLE, args, {}).values.output.value, args.join(' ')).toBe('json');
    }
    expect(parseOptions(TABLE, ['--no-color'], {}).values.color.value).toBe(false);
    expect(parseOptions(TABLE, ['--color=false'], {}).values.color.value).toBe(false);
    expect(parseOptions(TABLE, ['--only', 'a,b', '--only', 'c'], {}).values.only.value).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  test('base64 is read without the line breaks and blanks that people paste', () => {
    expect(parseOptions(TABLE, ['--ca', ' Y2Vy\r\ndGlm\n'], {}).values.ca.value).toBe('Y2VydGlm');
  });

  test('what is not a flag is a positional, and -- ends the flags', () => {
    expect(parseOptions(TABLE, ['pod/x', '--', '--port'], {}).positionals).toEqual(['pod/x', '--port']);
  });

  test.each([
    [['--prot', '1'], '--prot', 'unknown flag; did you mean --port?'],
    [['--whatever'], '--whatever', 'unknown flag'],
    [['--port', 'x'], '--port', 'expected a whole number, got "x"'],
    [['--port', '70000'], '--port', 'expected 0 to 65535, got "70000"'],
    [['-o', 'xml'], '-o', 'expected text or json, got "xml"'],
    [['--color=maybe'], '--color', 'expected true or false, got "maybe"'],
    [['--file'], '--file', 'needs a value: --file FILE'],
  ])('%j is rejected: %s %s', (args, where, message) => {
    expect(parseOptions(TABLE, args, {}).problems).toEqual([{ where, message }]);
  });

  test('a bad environment variable is named as such', () => {
    expect(parseOptions(TABLE, [], { PORT: 'many' }).problems).toEqual([
      { where: 'PORT', message: 'expected a whole number, got "many"' },
    ]);
  });

  test('help is made from the same rows', () => {
    expect(optionHelp(TABLE)).toEqual([
      '  -o, --output text|json  How to print (default text)',
      '      --port N            Where to listen (default 0, env PORT)',
      '      --color             Colours (default true)',
      '      --file FILE         A file',
      '      --ca BASE64         Certificates',
      '      --only A,B          Parts',
    ]);
  });

  test('help says which options and feature gates have no effect', () => {
    const table = {
      service: { flag: 'service', type: 'string', default: '', unused: 'there is no webhook', doc: 'A name' },
      gates: {
        flag: 'gates',
        type: 'gates',
        default: { First: true, Second: false } as Readonly<Record<string, boolean>>,
        unusedGates: { Second: 'not implemented' },
        doc: 'Features',
      },
    } as const;
    const help = optionHelp(table);
    expect(help[0]).toContain('A name. No effect: there is no webhook');
    expect(help[1]).toContain('Features. These gates have no effect: Second (default First=true');
  });
});
