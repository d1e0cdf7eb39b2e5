import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mediaTypeOf, parseMime, partOf, SHELL_SCRIPT, writeMime } from './mime.ts';

const message = (lines: readonly string[], type = 'multipart/mixed; boundary="AB"') =>
  ['MIME-Version: 1.0', `Content-Type: ${type}`, '', ...lines].join('\n');

describe('MIME messages', () => {
  test('written parts are read back as they were', () => {
    const parts = [
      partOf(SHELL_SCRIPT, '#!/bin/sh\necho a\n'),
      partOf('text/cloud-config', '#cloud-config\n'),
    ];
    expect(parseMime(writeMime(parts), 'spec.userData')).toEqual(parts);
    expect(writeMime(parts)).toContain('boundary="//"');
  });

  test('any texts are read back as they were', () => {
    const line = fc.oneof(fc.constantFrom('--//', '--//--', '--//x', '', ' ', 'A: b'), fc.string());
    const body = fc.array(line).map((lines) => lines.join('\n').replaceAll('\r', ''));
    fc.assert(
      fc.property(fc.array(body, { minLength: 1 }), (bodies) => {
        const parts = bodies.map((each) => partOf(SHELL_SCRIPT, each));
        expect(parseMime(writeMime(parts), 'spec.userData')).toEqual(parts);
      }),
    );
  });

  test('a part with the usual boundary in it gets another one around it', () => {
    const parts = [partOf(SHELL_SCRIPT, '#!/bin/sh\ncat <<E\n--//\nE\n')];
    expect(parseMime(writeMime(parts), 'spec.userData')).toEqual(parts);
  });

  test('headers, folded ones too, and encoded bodies are kept', () => {
    const text = message([
      'a preamble that no one reads',
      '--AB',
      'Content-Type: text/x-shellscript;',
      '  charset="utf-8"',
      'Content-Transfer-Encoding: base64',
      '',
      'IyEvYmluL3No',
      '--AB--',
      'an epilogue',
    ]);
    const [part, ...rest] = parseMime(text, 'spec.userData');
    expect(rest).toEqual([]);
    expect(part).toEqual({
      headers: [
        ['Content-Type', 'text/x-shellscript; charset="utf-8"'],
        ['Content-Transfer-Encoding', 'base64'],
      ],
      body: 'IyEvYmluL3No',
    });
    expect(mediaTypeOf(part!)).toBe('text/x-shellscript');
  });

  test('a boundary without quotes, carriage returns and empty lines before the message are accepted', () => {
    const text = `\n\n${message(['--AB', 'Content-Type: text/x-shellscript', '', '#!/bin/sh', '--AB--'], 'multipart/mixed; boundary=AB')}`;
    expect(parseMime(text.replaceAll('\n', '\r\n'), 'p')).toEqual([
      { headers: [['Content-Type', 'text/x-shellscript']], body: '#!/bin/sh' },
    ]);
  });

  test.each([
    ['another type', message(['#!/bin/sh'], 'text/x-shellscript'), 'is not multipart/mixed'],
    ['no boundary', message(['--AB', '', 'x', '--AB--'], 'multipart/mixed'), 'no boundary'],
    ['no end', message(['--AB', 'Content-Type: text/plain', '', 'x']), 'does not end with the line --AB--'],
    ['no empty line', 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="AB"', 'no empty line'],
    ['a header without a colon', 'MIME-Version: 1.0\nnonsense\n\n', 'form Name: value'],
    ['a part without headers', message(['--AB', 'echo hi', '--AB--']), 'no empty line'],
  ])('%s is refused with the field and what to do', (_, text, expected) => {
    expect(() => parseMime(text, 'spec.userData')).toThrow(expected);
    expect(() => parseMime(text, 'spec.userData')).toThrow(/^spec\.userData: /);
  });
});
