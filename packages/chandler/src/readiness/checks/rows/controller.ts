/** Checks of where and how the controller runs, as the Helm values set it. */
import type { Inputs } from '../../inputs/inputs.ts';
import { readInnerYaml } from '../../inputs/kubernetes/inner-yaml.ts';
import type { Source } from '../../model/finding.ts';
import type { Place } from '../../model/place.ts';
import { entriesAt, find, hasUnknown, itemsAt, leaves, type Tree, textAt, textOf } from '../../model/tree.ts';
import type { CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, ofValues, pass, seen, skip, warn } from '../judgements.ts';

const NODE_POOL_LABEL = 'karpenter.sh/nodepool';
const TERMS = [
  'affinity',
  'nodeAffinity',
  'requiredDuringSchedulingIgnoredDuringExecution',
  'nodeSelectorTerms',
] as const;

export const CONTROLLER_CHECKS: readonly CheckRow[] = [
  {
    id: 'K-43',
    title: 'The controller does not run on its own nodes',
    inputs: ['values'],
    criterion:
      'Passes if the values keep the node affinity of the chart (which keeps the controller off nodes with karpenter.sh/nodepool), exclude these nodes themselves or select a node group; fails if they replace that rule by another, or remove it.',
    severity: 'critical',
    phase: 2,
    fix: 'Require that the label karpenter.sh/nodepool does not exist, as the chart does, or select a node group by nodeSelector.',
    docs: DOCS.gettingStarted,
    judge: ({ inputs }) =>
      each(inputs.releases, (release) => {
        const evidence = [seen(ofValues(release), 'affinity')];
        const object = release.origin;
        const rule = ruleOf(release.values);
        if (rule === 'unknown') return skip('The affinity is not known.', ['plan'], evidence, { object });
        if (rule === 'kept')
          return release.incomplete.length > 0
            ? skip(`It may be set elsewhere: ${release.incomplete[0]}.`, ['values'], evidence, { object })
            : pass('The affinity of the chart applies.', evidence, { object });
        if (rule !== 'removed' && rule.length > 0 && rule.every(excludesOwnNodes))
          return pass('The affinity excludes nodes of Karpenter.', evidence, { object });
        const selected = entriesAt(release.values, 'nodeSelector').some(([key]) =>
          NODE_GROUP_LABEL.test(key),
        );
        return selected
          ? pass(
              'A node selector chooses the nodes.',
              [...evidence, seen(ofValues(release), 'nodeSelector')],
              { object },
            )
          : fail('The affinity replaces the rule that keeps the controller off its own nodes.', evidence, {
              object,
            });
      }),
  },
  {
    id: 'K-47',
    title: 'The controller finds names while only its own nodes run CoreDNS',
    inputs: ['values', ['terraform', 'plan', 'state', 'workloads', 'cloud']],
    criterion:
      'Fails if CoreDNS runs on nodes of Karpenter alone and dnsPolicy is not Default: the controller then needs nodes to launch nodes.',
    severity: 'high',
    phase: 2,
    fix: 'Set dnsPolicy to Default, or let CoreDNS run on a node group or on Fargate.',
    docs: DOCS.troubleshooting,
    judge: ({ inputs }) =>
      coreDnsOf(inputs).flatMap(({ config, source, what, at }) =>
        each(inputs.releases, (release) => {
          const object = release.origin;
          const evidence = [seen(ofValues(release), 'dnsPolicy'), { source, what, at }];
          if (config === undefined || hasUnknown(config))
            return skip('It is not known where CoreDNS runs.', ['plan', 'state'], evidence, { object });
          if (!needsOwnNodes(config)) return pass('CoreDNS also runs on other nodes.', evidence, { object });
          if (textAt(release.values, 'dnsPolicy') === 'Default')
            return pass('The controller asks the resolver of its node.', evidence, { object });
          return release.incomplete.length > 0
            ? skip(`It may be set elsewhere: ${release.incomplete[0]}.`, ['values'], evidence, { object })
            : fail(
                'CoreDNS runs on nodes of Karpenter alone, and the controller needs it to start.',
                evidence,
                {
                  object,
                },
              );
        }),
      ),
  },
  {
    id: 'K-48',
    title: 'The API server serves the controller first',
    inputs: ['values'],
    reads: ['FlowSchema'],
    criterion:
      'Passes in the namespace kube-system, and in another one that a FlowSchema names. Warns if FlowSchemas are here or in the cluster and none is for it.',
    severity: 'low',
    phase: 3,
    fix: 'Apply FlowSchemas for the leases and the calls of the controller, or install it into kube-system.',
    docs: DOCS.gettingStarted,
    judge: ({ inputs }) =>
      each(inputs.releases, ({ namespace, origin, source, at }) => {
        const name = textOf(namespace);
        if (name === undefined) return undefined;
        const own = { source, what: `namespace of ${origin}`, value: name, at: namespace?.at ?? at };
        const all = inputs.manifests.filter(({ kind }) => kind === 'FlowSchema');
        const schemas = all.filter(({ tree }) =>
          [...leaves(tree)].some(
            ({ path, tree: leaf }) => path.at(-1) === 'namespace' && textOf(leaf) === name,
          ),
        );
        const evidence = [own, ...schemas.map((schema) => seen(schema, 'metadata', 'name'))];
        const object = origin;
        if (name === 'kube-system' || schemas.length > 0)
          return pass('Its calls have a priority.', evidence, { object });
        // Those of the cluster may be applied by hand.
        return all.length > 0
          ? warn(`No FlowSchema is for the namespace ${name}.`, evidence, { object })
          : skip('There are no FlowSchemas here.', ['cluster'], evidence, { object });
      }),
  },
  {
    id: 'K-67',
    title: 'The image of the controller can be pulled',
    inputs: ['values'],
    criterion:
      'If settings.isolatedVPC is true: fails if the image is that of public.ecr.aws, which is not reached without a way to the internet.',
    severity: 'high',
    phase: 2,
    fix: 'Copy the image to a registry in the account, and set controller.image.repository.',
    docs: DOCS.settings,
    judge: ({ inputs }) =>
      each(inputs.releases, (release) => {
        if (textAt(release.values, 'settings', 'isolatedVPC') !== 'true') return undefined;
        const object = release.origin;
        const evidence = [
          seen(ofValues(release), 'settings', 'isolatedVPC'),
          seen(ofValues(release), ...IMAGE),
        ];
        const written = textAt(release.values, ...IMAGE);
        if (written === undefined && release.incomplete.length > 0)
          return skip(`It may be set elsewhere: ${release.incomplete[0]}.`, ['values'], evidence, { object });
        return (written ?? PUBLIC_REGISTRY).startsWith(PUBLIC_REGISTRY)
          ? fail('public.ecr.aws is not reached from an isolated VPC.', evidence, { object })
          : pass('It is of another registry.', evidence, { object });
      }),
  },
  {
    id: 'K-81',
    title: 'Metrics are collected',
    inputs: ['values'],
    criterion: 'Warns if serviceMonitor.enabled is not true.',
    severity: 'low',
    phase: 2,
    fix: 'Set serviceMonitor.enabled to true, or scrape port 8080 of the controller in another way.',
    docs: 'https://karpenter.sh/docs/reference/metrics/',
    judge: ({ inputs }) =>
      each(inputs.releases, (release) => {
        const evidence = [seen(ofValues(release), 'serviceMonitor', 'enabled')];
        const object = release.origin;
        if (textAt(release.values, 'serviceMonitor', 'enabled') === 'true')
          return pass('A ServiceMonitor is created.', evidence, { object });
        return release.incomplete.length > 0
          ? skip(`It may be set elsewhere: ${release.incomplete[0]}.`, ['values'], evidence, { object })
          : warn('No ServiceMonitor is created.', evidence, { object });
      }),
  },
];

// ---------------------------------------------------------------------------------------------------------------

const IMAGE = ['controller', 'image', 'repository'] as const;
const PUBLIC_REGISTRY = 'public.ecr.aws';

interface CoreDns {
  /** Its pods, or the values of the add-on, which have the same fields. Undefined: not known. */
  readonly config: Tree | undefined;
  readonly source: Source;
  readonly what: string;
  readonly at: Place;
}

function coreDnsOf({ manifests, resources }: Inputs): readonly CoreDns[] {
  const deployed = manifests
    .filter(({ kind, name }) => kind === 'Deployment' && name === 'coredns')
    .map(
      (own): CoreDns => ({
        config: find(own.tree, 'spec', 'template', 'spec'),
        source: own.source,
        what: 'Deployment/coredns',
        at: own.at,
      }),
    );
  const added = resources
    .filter(({ type, values }) => type === 'aws_eks_addon' && textAt(values, 'addon_name') === 'coredns')
    .map(({ values, source, address, at }): CoreDns => {
      const text = find(values, 'configuration_values');
      const given =
        text?.kind === 'unknown' && text.call?.name === 'jsonencode' ? text.call.args[0] : undefined;
      const read = text === undefined ? undefined : readInnerYaml(text)?.trees[0];
      const none: Tree = { kind: 'map', entries: new Map(), at };
      return {
        config: text === undefined ? none : (given ?? read),
        source,
        what: address,
        at: text?.at ?? at,
      };
    });
  return [...deployed, ...added];
}

/** A selector or a required affinity names a label that only nodes of Karpenter have. */
function needsOwnNodes(config: Tree): boolean {
  const isOwn = (key: string) => /^karpenter\.(sh|k8s\.aws)\//.test(key);
  if (entriesAt(config, 'nodeSelector').some(([key]) => isOwn(key))) return true;
  const terms = itemsAt(config, ...TERMS);
  return (
    terms.length > 0 &&
    terms.every((term) =>
      itemsAt(term, 'matchExpressions').some(
        (each) => isOwn(textAt(each, 'key') ?? '') && /^(In|Exists)$/.test(textAt(each, 'operator') ?? ''),
      ),
    )
  );
}

/**
 * What becomes of the rule of the chart. Helm merges maps, so it is lost only where its list is replaced, or a value above it is
 * null. @returns the terms that replace it.
 */
function ruleOf(values: Tree): 'kept' | 'removed' | 'unknown' | readonly Tree[] {
  let current: Tree | undefined = values;
  for (const step of TERMS) {
    if (current?.kind !== 'map') break;
    current = current.entries.get(step);
    if (current === undefined) return 'kept';
  }
  if (current === undefined || current.kind === 'map') return 'kept';
  if (current.kind === 'unknown') return 'unknown';
  return current.kind === 'list' ? current.items : 'removed';
}

/** A term that names other groups of nodes by a label of their own excludes them, too. */
function excludesOwnNodes(term: Tree): boolean {
  return itemsAt(term, 'matchExpressions').some((expression) => {
    const key = textAt(expression, 'key') ?? '';
    const operator = textAt(expression, 'operator');
    if (key === NODE_POOL_LABEL) return operator === 'DoesNotExist';
    if (!NODE_GROUP_LABEL.test(key)) return false;
    return (
      operator === 'Exists' ||
      (operator === 'In' && itemsAt(expression, 'values').some((value) => textOf(value) !== undefined))
    );
  });
}

const NODE_GROUP_LABEL = /^(eks\.amazonaws\.com\/(nodegroup|compute-type)|karpenter\.sh\/controller)$/;
