import { describe, expect, test } from 'vitest';
import { CORE_OPTIONS } from './core-options.ts';
import { readOption } from './option-readers.ts';
import { readSchedulerConfig, schedulerConfigProblem } from './scheduler-config.ts';

const ZONE = { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' };
const config = (...constraints: object[]) =>
  JSON.stringify({ podTopologySpread: { defaultConstraints: constraints } });

describe('scheduler-config', () => {
  test('is read from YAML and JSON', () => {
    const yaml = `podTopologySpread:
  defaultConstraints:
    - maxSkew: 1
      topologyKey: topology.kubernetes.io/zone
      whenUnsatisfiable: ScheduleAnyway
    - maxSkew: 3
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: DoNotSchedule
      minDomains: 2
      nodeTaintsPolicy: Honor
`;
    expect(readSchedulerConfig(yaml).defaultConstraints).toEqual([
      ZONE,
      {
        maxSkew: 3,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'DoNotSchedule',
        minDomains: 2,
        nodeTaintsPolicy: 'Honor',
      },
    ]);
    expect(readSchedulerConfig(config(ZONE)).defaultConstraints).toEqual([ZONE]);
  });

  test.each(['', ' \n', '# none', '{}', 'podTopologySpread:', '{"podTopologySpread":{}}', config()])(
    'may have no constraint: %j',
    (text) => {
      expect(readSchedulerConfig(text).defaultConstraints).toEqual([]);
    },
  );

  const first = 'podTopologySpread.defaultConstraints[0]';
  test.each<[string, string, string]>([
    ['no YAML', 'podTopologySpread: {', 'one YAML or JSON document'],
    ['two documents', '{}\n---\n{}', 'one YAML or JSON document'],
    ['a repeated field', 'podTopologySpread: {}\npodTopologySpread: {}', 'one YAML or JSON document'],
    ['a list', '[]', 'fields in the document'],
    ['a text', 'zone', 'fields in the document'],
    ['an unknown field', '{"nodeResourcesFit":{}}', 'no field nodeResourcesFit: remove it'],
    [
      'an unknown field of the section',
      '{"podTopologySpread":{"defaultingType":"List"}}',
      'no field podTopologySpread.defaultingType: remove it',
    ],
    ['no list', '{"podTopologySpread":{"defaultConstraints":{}}}', 'a list in'],
    ['an unknown field of a constraint', config({ ...ZONE, maxskew: 1 }), `no field ${first}.maxskew`],
    ['no maxSkew', config({ ...ZONE, maxSkew: undefined }), `at least 1 in ${first}.maxSkew`],
    ['a maxSkew of 0', config({ ...ZONE, maxSkew: 0 }), `at least 1 in ${first}.maxSkew`],
    ['a maxSkew as text', config({ ...ZONE, maxSkew: '1' }), `at least 1 in ${first}.maxSkew`],
    ['no topologyKey', config({ ...ZONE, topologyKey: undefined }), `label name such as`],
    ['a bad topologyKey', config({ ...ZONE, topologyKey: 'not a label' }), `in ${first}.topologyKey`],
    [
      'an unknown answer',
      config({ ...ZONE, whenUnsatisfiable: 'Maybe' }),
      `DoNotSchedule or ScheduleAnyway in ${first}.whenUnsatisfiable`,
    ],
    ['an unknown policy', config({ ...ZONE, nodeTaintsPolicy: 'No' }), `Honor or Ignore in ${first}`],
    ['minDomains of 0', config({ ...ZONE, minDomains: 0 }), `at least 1 in ${first}.minDomains`],
    [
      'a selector',
      config({ ...ZONE, labelSelector: {} }),
      `no labelSelector in ${first}: the selector is deduced`,
    ],
    ['matchLabelKeys', config({ ...ZONE, matchLabelKeys: ['a'] }), `no matchLabelKeys in ${first}`],
    ['a repeated constraint', config(ZONE, { ...ZONE, maxSkew: 2 }), 'which repeats podTopologySpread'],
    [
      'the whole configuration of kube-scheduler',
      '{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration","profiles":[]}',
      'copy args.defaultConstraints of the plugin PodTopologySpread',
    ],
  ])('with %s is refused, with the field and what to do', (_, text, expected) => {
    expect(schedulerConfigProblem(text)).toContain(expected);
    expect(readOption(CORE_OPTIONS.schedulerConfig, [text])).toMatchObject({
      ok: false,
      message: expect.stringContaining(expected),
    });
  });
});
