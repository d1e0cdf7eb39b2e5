import { describe, expect, test } from 'vitest';
import { aDeployment, aNodePool, simulateText, withFiles } from './simulate.fixture.ts';

describe('an error names file, line, object and field', () => {
  test.each([
    [
      'a count that is a word',
      aDeployment('web', 1).replace('replicas: 1', 'replicas: three'),
      'standard input:5: Deployment/shop/web: spec.replicas: expected a whole number, got "three"',
    ],
    [
      'an amount that is no quantity',
      aDeployment('web', 1).replace('cpu: "1"', 'cpu: lots'),
      'standard input:9: Deployment/shop/web: spec.template.spec.containers[0].resources.requests.cpu: expected a quantity such as 500m or 2Gi, got "lots"',
    ],
    [
      'a label that is a number',
      aDeployment('web', 1).replace('labels: { app: web }', 'labels: { app: 5 }'),
      'standard input:7: Deployment/shop/web: spec.template.metadata.labels.app: expected a text, got 5',
    ],
    [
      'a size family that YAML reads as false',
      aNodePool('p').replace('[amd64]', '[N]'),
      'NodePool/p: spec.template.spec.requirements[0].values[0]: expected a text, got false; put the value in quotes',
    ],
    [
      'a pod without containers',
      'apiVersion: v1\nkind: Pod\nmetadata: { name: x }\nspec: {}\n',
      'standard input:4: Pod/default/x: spec.containers: is missing',
    ],
    [
      'an object without a name',
      'apiVersion: v1\nkind: Pod\nmetadata: {}\nspec: { containers: [{}] }\n',
      'standard input:3: Pod/default/(unnamed): metadata.name: is missing',
    ],
    [
      'an operator that does not exist',
      aNodePool('p').replace('operator: In', 'operator: Is'),
      'standard input:8: NodePool/p: spec.template.spec.requirements[0].operator: expected In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte; got "Is"',
    ],
    [
      'a pool without a node class',
      aNodePool('p').replace(/ +nodeClassRef.*\n/, ''),
      'standard input:6: NodePool/p: spec.template.spec.nodeClassRef: is missing',
    ],
    [
      'something that is no object',
      '- 1\n',
      'standard input:1: not a Kubernetes object; it needs apiVersion, kind and metadata',
    ],
    [
      'an object without a kind',
      'a: 1\n',
      'standard input:1: not a Kubernetes object; it needs apiVersion and kind',
    ],
  ])('%s', async (_, text, message) => {
    await expect(simulateText(text)).rejects.toThrow(message);
  });

  const pod = (spec: string, metadata = '') =>
    `apiVersion: v1\nkind: Pod\nmetadata: { name: x${metadata} }\nspec: { ${spec} }\n`;
  const one = 'containers: [{ name: main }]';
  test.each([
    ['spec.containers[1]', pod('containers: [{ name: main }, null]')],
    ['spec.initContainers[0]', pod(`${one}, initContainers: [~]`)],
    ['spec.tolerations[0]', pod(`${one}, tolerations: [null]`)],
    ['spec.topologySpreadConstraints[0]', pod(`${one}, topologySpreadConstraints: [null]`)],
    ['spec.volumes[0]', pod(`${one}, volumes: [null]`)],
    ['metadata.ownerReferences[0]', pod(one, ', ownerReferences: [null]')],
    ['spec.template.spec.requirements[1]', aNodePool('p').replace('[amd64] }]', '[amd64] }, null]')],
    ['spec.template.spec.requirements[0].values[0]', aNodePool('p').replace('[amd64]', '[null]')],
    [
      'spec.nodeAffinity.required.nodeSelectorTerms[0]',
      'apiVersion: v1\nkind: PersistentVolume\nmetadata: { name: x }\nspec: { nodeAffinity: { required: { nodeSelectorTerms: [null] } } }\n',
    ],
    ['status.conditions[0]', `${aNodePool('p')}status: { conditions: [null] }\n`],
    ['status.conditions[0]', `${pod(one)}status: { conditions: [null] }\n`],
    [
      'status.conditions[0]',
      `apiVersion: batch/v1\nkind: Job\nmetadata: { name: x }\nspec: { template: { spec: { ${one} } } }\nstatus: { conditions: [null] }\n`,
    ],
    [
      'status.conditions[0]',
      'apiVersion: v1\nkind: Node\nmetadata: { name: x }\nstatus: { conditions: [null] }\n',
    ],
    ['spec.disruption.budgets[0]', aNodePool('p', '  disruption: { budgets: [null] }\n')],
  ])('an empty item of a list: %s', async (field, text) => {
    // One that an API server has stored is not checked by its rules.
    for (const given of [text, text.replace('metadata: { ', 'metadata: { uid: u, ')])
      await expect(simulateText(given)).rejects.toThrow(`${field}: expected`);
  });

  test('a volume whose node selector is not one', async () => {
    const volume = (required: string) =>
      `apiVersion: v1\nkind: PersistentVolume\nmetadata: { name: x }\nspec: { nodeAffinity: { required: ${required} } }\n`;
    await expect(simulateText(volume('{ nodeSelectorTerms: zone-1 }'))).rejects.toThrow(
      'spec.nodeAffinity.required.nodeSelectorTerms: expected a list, got "zone-1"',
    );
    await expect(simulateText(volume('{}'))).rejects.toThrow('nodeSelectorTerms: is missing');
  });

  test('names that every object of JavaScript has are names like others', async () => {
    const { complaints } = await simulateText(aNodePool('p', '  constructor: { cpu: 5 }\n'));
    expect(complaints).toEqual([
      'standard input:9: NodePool/p: spec.constructor: unknown field; it is ignored',
    ]);
    const { report } = await simulateText(pod(`${one}, priorityClassName: constructor`));
    expect(report.summary.pods).toBe(1);
  });

  test('all problems are listed at once, each with its document', async () => {
    const text = `${aDeployment('a', 1).replace('replicas: 1', 'replicas: -1')}---\n${aDeployment('b', 1).replace('replicas: 1', 'replicas: x')}`;
    await expect(simulateText(text)).rejects.toThrow(
      /standard input:5 \(document 1\): Deployment\/shop\/a: .*at least 0[\s\S]*\(document 2\): Deployment\/shop\/b/,
    );
  });

  test('input without pods or workloads is an error', async () => {
    await expect(simulateText('')).rejects.toThrow('no pods or workloads to simulate');
    await expect(simulateText('', { files: ['/no/such/file'] })).rejects.toThrow(
      'there is no such file or folder',
    );
  });

  test('an unknown NodePool is an error that lists the known ones', async () => {
    await expect(simulateText(aNodePool('general'), { pools: ['special'] })).rejects.toThrow(
      '--pool: no NodePool special in the input; the input has general',
    );
  });

  test('a folder is read with everything below it, and only manifests', async () => {
    await withFiles(
      { 'a.yaml': aDeployment('a', 1), 'b.json': '[]', 'notes.txt': 'no: [yaml' },
      async (folder) => {
        const { report } = await simulateText('', { files: [folder] });
        expect(report.summary.pods).toBe(1);
      },
    );
    await withFiles({ 'notes.txt': '' }, async (folder) => {
      await expect(simulateText('', { files: [folder] })).rejects.toThrow('no .yaml, .yml or .json file');
    });
  });
});

describe('a warning does not stop the simulation', () => {
  test('unknown kinds get a warning with a suggestion, irrelevant ones none', async () => {
    const text = [
      aDeployment('web', 1),
      'apiVersion: karpenter.sh/v1\nkind: NodePol\nmetadata: { name: x }\n',
      'apiVersion: v1\nkind: Service\nmetadata: { name: x }\n',
      'apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: { name: x }\n',
    ].join('---\n');
    const { complaints, report } = await simulateText(text);
    expect(complaints).toEqual([
      'standard input:11 (document 2): NodePol of karpenter.sh/v1 is ignored: a simulation does not use this kind (did you mean NodePool?)',
      'standard input:19 (document 4): Deployment of extensions/v1beta1 is ignored; only the group apps is supported',
    ]);
    expect(report.summary.placed).toBe(1);
  });

  test('a mistyped field of a pool gets a suggestion', async () => {
    const { complaints } = await simulateText(aNodePool('p', '  limit: { cpu: 5 }\n'));
    expect(complaints).toEqual([
      'standard input:9: NodePool/p: spec.limit: unknown field; did you mean limits?',
    ]);
  });

  test('of an object that is defined twice, the later definition is used', async () => {
    const { complaints, report } = await simulateText(
      `${aDeployment('web', 5)}---\n${aDeployment('web', 2)}`,
    );
    expect(report.summary.pods).toBe(2);
    expect(complaints[0]).toContain('Deployment/shop/web: is defined twice; this definition replaces');
  });

  test('an object that the planner rejects is located in the file', async () => {
    const text = `${aNodePool('p').replace('operator: In, values: [amd64]', 'operator: Gt, values: [many]')}---\n${aDeployment('web', 1)}`;
    const { complaints, report } = await simulateText(text);
    expect(complaints[0]).toMatch(
      /^standard input:\d+ \(document 1\): NodePool\/p: spec\.template\.spec\.requirements/,
    );
    expect(report.inputErrors[0]).toMatchObject({ object: 'NodePool/p' });
    expect(report.summary.refused).toBe(1);
  });
});
