import { describe, expect, test } from 'vitest';
import { longestYamlDocument, readDocuments, readingDocuments } from './documents.ts';

const TWO = `# a comment
kind: Pod
metadata:
  name: first
---
kind: Pod
metadata:
  name: second
spec:
  containers:
    - name: a
    - name: b
`;

describe('reading manifests', () => {
  test('every document of a file becomes an object with its lines', () => {
    const { found, problems } = readDocuments({ name: 'x.yaml', text: TWO });
    expect(problems).toEqual([]);
    expect(found.map(({ value }) => (value as { metadata: { name: string } }).metadata.name)).toEqual([
      'first',
      'second',
    ]);
    const { origin } = found[1]!;
    expect(origin).toMatchObject({ file: 'x.yaml', document: 2 });
    expect(origin.lineOf(['metadata', 'name'])).toBe(8);
    expect(origin.lineOf(['spec', 'containers', 1, 'name'])).toBe(12);
    // A missing field gets the line of the enclosing field.
    expect(origin.lineOf(['spec', 'containers', 1, 'resources'])).toBe(12);
  });

  test.each([
    ['of the object', 'kind: Pod\nmetadata: { name: a }\nkind: Node\n', 'kind', 3],
    [
      'deep in it',
      'kind: Pod\nspec:\n  containers:\n    - name: a\n      image: b\n      name: c\n',
      'name',
      6,
    ],
    ['in one line', 'kind: Pod\nmetadata: { name: a, name: b }\n', 'name', 2],
    ['that is a number', 'kind: Pod\ndata: { 1: a, 0x1: b }\n', '1', 2],
    ['the first of several', 'kind: Pod\na: { b: 1, b: 2 }\nkind: Pod\n', 'b', 2],
  ])('a key that is there twice is a problem with its line: %s', (_, text, key, line) => {
    const { found, problems } = readDocuments({ name: 'x.yaml', text });
    expect(found).toEqual([]);
    expect(problems).toEqual([
      { file: 'x.yaml', line, message: `invalid YAML: a map has the key "${key}" twice` },
    ]);
  });

  test('several maps may be merged into one', () => {
    const text = 'kind: Pod\nx: &x { a: 1 }\ny: &y { b: 2 }\nz: { <<: *x, <<: *y }\n';
    expect(readDocuments({ name: 'x', text }).found[0]!.value).toMatchObject({ z: { a: 1, b: 2 } });
  });

  test('YAML is read as kubectl reads it', () => {
    const text = 'kind: Pod\nmode: 0755\nsuspend: yes\ntime: 12:30\nday: 2026-01-02\nquoted: "yes"\n';
    expect(readDocuments({ name: 'x', text }).found[0]!.value).toEqual({
      kind: 'Pod',
      mode: 0o755,
      suspend: true,
      time: '12:30',
      day: '2026-01-02',
      quoted: 'yes',
    });
  });

  test.each([
    ['YAML', 'kind: Pod\nspec:\n  initContainers:\n  containers: [{ name: a, env: ~ }]\n'],
    ['JSON', '{"kind":"Pod","spec":{"initContainers":null,"containers":[{"name":"a","env":null}]}}'],
    ['a list', '{"kind":"PodList","items":[{"spec":{"initContainers":null,"containers":[{"name":"a"}]}}]}'],
  ])('empty fields are absent, but kept for the API server: %s', (_, text) => {
    const [found] = readDocuments({ name: 'x', text }).found;
    expect(found!.value).toEqual({ kind: 'Pod', spec: { containers: [{ name: 'a' }] } });
    expect(found!.given).toMatchObject({ spec: { initContainers: null } });
  });

  test('empty entries of a map are those of an API server: no text, no amount', () => {
    const text = `kind: Pod
metadata: { labels: { app: }, annotations: { note: ~ } }
spec:
  nodeSelector: { disk: }
  selector: { app: ~, matchLabels: ~ }
  containers: [{ resources: { requests: { cpu: }, limits: ~ } }]
`;
    expect(readDocuments({ name: 'x', text }).found[0]!.value).toEqual({
      kind: 'Pod',
      metadata: { labels: { app: '' }, annotations: { note: '' } },
      spec: {
        nodeSelector: { disk: '' },
        selector: { app: '' },
        containers: [{ resources: { requests: { cpu: '0' } } }],
      },
    });
  });

  test('empty documents are no objects', () => {
    expect(readDocuments({ name: 'x', text: '---\n---\n# nothing\n' }).found).toEqual([]);
    expect(readDocuments({ name: 'x', text: '' }).found).toEqual([]);
  });

  test('the items of a List are objects of their own, with the kind of a typed list', () => {
    const text =
      'apiVersion: v1\nkind: PodList\nitems:\n  - metadata: { name: a }\n  - metadata: { name: b }\n';
    const { found } = readDocuments({ name: 'x', text });
    expect(found.map(({ value }) => value)).toEqual([
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'b' } },
    ]);
    expect(found[1]!.origin.lineOf(['metadata', 'name'])).toBe(5);
  });

  test('JSON is read as well, with its lines', () => {
    const text =
      '{\n  "kind": "List",\n  "items": [\n    {"kind": "Pod",\n     "metadata": {"name": "a"}}\n  ]\n}';
    const { found } = readDocuments({ name: 'x.json', text });
    expect(found).toHaveLength(1);
    expect(found[0]!.origin.lineOf(['metadata', 'name'])).toBe(5);
  });

  test('broken YAML is reported with its line, and the other documents are read', () => {
    const { found, problems } = readDocuments({ name: 'x', text: 'kind: Pod\n---\na: [1\nb: 2\n' });
    expect(found).toHaveLength(1);
    expect(problems[0]).toMatchObject({ file: 'x', document: 2 });
    expect(problems[0]!.line).toBeGreaterThanOrEqual(3);
    expect(problems[0]!.message).toContain('invalid YAML');
  });

  test('an alias bomb is rejected, not expanded', () => {
    const levels = Array.from(
      { length: 12 },
      (_, at) => `a${at + 1}: &a${at + 1} [${Array(10).fill(`*a${at}`).join(', ')}]`,
    );
    const { found } = readDocuments({ name: 'x', text: `a0: &a0 [x]\n${levels.join('\n')}\n` });
    expect((found[0]!.value as { problem: string }).problem).toContain('alias');
  });
});

describe('reading in pieces', () => {
  test('each document is a piece, and the result is that of reading at once', () => {
    const steps = readingDocuments({ name: 'x.yaml', text: TWO });
    let pieces = 0;
    for (;;) {
      const { done, value } = steps.next();
      if (done !== true) {
        pieces += 1;
        continue;
      }
      expect(pieces).toBe(4);
      expect(value.found.map((found) => found.value)).toEqual(
        readDocuments({ name: 'x.yaml', text: TWO }).found.map((found) => found.value),
      );
      expect(value.found[1]!.origin.lineOf(['metadata', 'name'])).toBe(8);
      return;
    }
  });

  test('the lines of a long text in JSON are not looked for', () => {
    const text = JSON.stringify({ kind: 'Pod', metadata: { name: 'a' } }, undefined, 1);
    const lineFor = (maxYaml: number) => {
      const { value } = readingDocuments({ name: 'x.json', text }, maxYaml).next();
      return value!.found[0]!.origin.lineOf(['metadata']);
    };
    expect(lineFor(text.length)).toBe(3);
    expect(lineFor(text.length - 1)).toBeUndefined();
  });

  test.each([
    ['a: 1\n---\nb: 22\n', 7],
    ['a: 1\n--- # no key\nb: 22\r\n---\r\nc: 1', 16],
    // None of them begins a document.
    ['a: 1\n---b: 1\n ---\n\r---', 22],
    ['[1, 2', 5],
    ['[1, 2]', 0],
    ['{"a": "\\n---\\n"}', 0],
  ])('the longest document of %j in YAML has %d characters', (text, length) => {
    expect(longestYamlDocument(text)).toBe(length);
  });
});
