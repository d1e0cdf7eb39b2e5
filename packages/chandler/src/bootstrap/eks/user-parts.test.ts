import { describe, expect, test } from 'vitest';
import { mediaTypeOf } from './mime.ts';
import { userParts } from './user-parts.ts';

const own = (value: string) => ({ value, source: 'NodeClass' as const, path: 'spec.userData' });
const typesOf = (text: string, reads: 'nodeadm' | 'bootstrapScript' = 'nodeadm') =>
  userParts(own(text), reads).parts.map(mediaTypeOf);

const NODE_CONFIG = 'apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: {}\n';

describe("the user's own user data", () => {
  test.each([
    ['a script', '#!/bin/bash\necho hi\n', 'text/x-shellscript'],
    ['a script that happens to be YAML', '#!/bin/bash\n# nothing to do\n', 'text/x-shellscript'],
    ['a script whose lines look like a map', '#!/bin/bash\nFOO: bar\n', 'text/x-shellscript'],
    ['cloud-config', '#cloud-config\npackage_update: true\n', 'text/cloud-config'],
    ['a NodeConfig', NODE_CONFIG, 'application/node.eks.aws'],
    ['another YAML map', 'a: b\n', 'application/node.eks.aws'],
    ['any other text', 'echo hi\n', 'text/x-shellscript'],
  ])('on AL2023 %s is recognized', (_, text, expected) => {
    expect(typesOf(text)).toEqual([expected]);
  });

  test('AL2 reads scripts and cloud-config', () => {
    expect(typesOf('#cloud-config\n{}\n', 'bootstrapScript')).toEqual(['text/cloud-config']);
    expect(typesOf(NODE_CONFIG, 'bootstrapScript')).toEqual(['text/x-shellscript']);
  });

  test('blank user data is none', () => {
    expect(userParts(own(' \n'), 'nodeadm').parts).toEqual([]);
  });

  test.each([
    ['a script without an interpreter', 'echo hi\n', 'nodeadm', 'without a #! line'],
    ['a map that is no NodeConfig', 'a: b\n', 'nodeadm', 'lacks apiVersion node.eks.aws/v1alpha1'],
    [
      'a NodeConfig for AL2',
      `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="A"\n\n--A\nContent-Type: application/node.eks.aws\n\n${NODE_CONFIG}\n--A--\n`,
      'bootstrapScript',
      'AL2023',
    ],
  ] as const)('%s gives a warning', (_, text, reads, expected) => {
    const { warnings } = userParts(own(text), reads);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({ code: 'unusable', path: 'spec.userData' });
    expect(warnings[0]!.message).toContain(expected);
  });

  test('a good one gives none, nor does an encoded one', () => {
    expect(userParts(own(NODE_CONFIG), 'nodeadm').warnings).toEqual([]);
    const encoded =
      'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="A"\n\n--A\nContent-Type: text/x-shellscript\nContent-Transfer-Encoding: base64\n\nIyE=\n--A--\n';
    expect(userParts(own(encoded), 'nodeadm').warnings).toEqual([]);
  });
});
