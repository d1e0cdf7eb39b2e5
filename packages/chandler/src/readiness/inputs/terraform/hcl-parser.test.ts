import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseHcl } from './hcl-parser.ts';
import { HclError } from './hcl-syntax.ts';

const valueIn = (text: string) => parseHcl(`x = ${text}\n`).attributes.get('x')?.value;

describe('a Terraform file', () => {
  test('has blocks with labels, attributes and their lines', () => {
    const { blocks } = parseHcl(`# a comment
resource "aws_subnet" "private" {
  /* two
     lines */
  cidr_block = "10.0.0.0/24" // the first
  ingress { from_port = 443 }
}
`);
    expect(blocks).toMatchObject([{ type: 'resource', labels: ['aws_subnet', 'private'], line: 2 }]);
    expect(blocks[0]!.body.attributes.get('cidr_block')).toMatchObject({
      line: 5,
      value: { value: '10.0.0.0/24' },
    });
    expect(blocks[0]!.body.blocks).toMatchObject([{ type: 'ingress', line: 6 }]);
  });

  test.each([
    ['"text"', { kind: 'literal', value: 'text' }],
    ['"a\\"b\\n\\u0041"', { kind: 'literal', value: 'a"b\nA' }],
    [`"$\${literal}"`, { kind: 'literal', value: `\${literal}` }],
    ['-12.5', { kind: 'literal', value: -12.5 }],
    ['true', { kind: 'literal', value: true }],
    ['null', { kind: 'literal', value: null }],
    ['("a")', { kind: 'literal', value: 'a' }],
    ['var.name', { kind: 'reference', steps: ['var', 'name'] }],
    ['local.tags["a/b"]', { kind: 'reference', steps: ['local', 'tags', 'a/b'] }],
    ['module.eks[0].name', { kind: 'reference', steps: ['module', 'eks', '0', 'name'] }],
    [`"\${var.a}-b"`, { kind: 'template', parts: [{ steps: ['var', 'a'] }, '-b'] }],
    ['[1, "a",\n  var.b,\n]', { kind: 'list', items: [{ value: 1 }, { value: 'a' }, { kind: 'reference' }] }],
    [
      '{ a = 1, "b" : 2\n c = 3 }',
      {
        kind: 'object',
        entries: [{ key: { value: 'a' } }, { key: { value: 'b' } }, { key: { value: 'c' } }],
      },
    ],
    [
      'merge(local.a, { b = 1 })',
      { kind: 'call', name: 'merge', args: [{ kind: 'reference' }, { kind: 'object' }] },
    ],
    ['provider::aws::arn_parse("x")', { kind: 'call', name: 'provider::aws::arn_parse' }],
    ['var.a ? "b" : "c"', { kind: 'other', text: 'var.a ? "b" : "c"' }],
    ['1 + 2', { kind: 'other' }],
    ['!var.a', { kind: 'other' }],
    ['aws_subnet.private[*].id', { kind: 'other' }],
    ['[for s in var.x : upper(s) if s != "}"]', { kind: 'other' }],
    [`{ for k, v in var.x : k => "\${v}}" }`, { kind: 'other' }],
    ['"%{ if var.a }b%{ endif }"', { kind: 'other' }],
    ['tolist(var.a)[0]', { kind: 'other' }],
  ])('reads %s', (text, expected) => {
    expect(valueIn(text)).toMatchObject(expected);
  });

  test('reads texts of several lines, also indented ones', () => {
    const text = `x = <<-EOT\n    a: \${var.b}\n      c: "d"\n    EOT\ny = 1\n`;
    const { attributes } = parseHcl(text);
    expect(attributes.get('x')!.value).toMatchObject({
      kind: 'template',
      parts: ['a: ', { kind: 'reference', line: 2 }, '\n  c: "d"\n'],
    });
    expect(attributes.get('y')).toMatchObject({ line: 5 });
  });

  test.each([
    ['resource "a" "b" {\n  x = 1\n', 3],
    ['x = "open\ny = 1\n', 1],
    ['x = [1, 2\n', 2],
    ['a b c\n', 1],
    ['x = \n', 1],
    ['}\n', 1],
    ['x = <<EOT\nnever closed\n', 2],
  ])('is refused with its line: %j', (text, line) => {
    expect(() => parseHcl(text)).toThrow(HclError);
    try {
      parseHcl(text);
    } catch (error) {
      expect((error as HclError).line).toBe(line);
    }
  });
});

test('any text is read, or refused with a line; the parser itself never fails', () => {
  const pieces = [
    'resource "a" "b" {\n',
    'x = ',
    '"t',
    '"',
    '\u0024{',
    '%{',
    '}',
    '[',
    ']',
    '(',
    ')',
    '<<EOT\n',
    'EOT\n',
    '\n',
    '#',
    '/*',
    ',',
    '.',
    '*',
    'for ',
    'a',
    '1',
    '=',
  ];
  const text = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 })), { maxLength: 30 });
  fc.assert(
    fc.property(text, (parts) => {
      try {
        parseHcl(parts.join(''));
      } catch (error) {
        expect(error).toBeInstanceOf(HclError);
        expect((error as HclError).line).toBeGreaterThan(0);
      }
    }),
    { numRuns: 2000 },
  );
});
