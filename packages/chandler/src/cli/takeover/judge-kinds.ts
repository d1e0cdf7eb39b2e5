/** Findings about CRDs, and about webhooks that older releases of Karpenter left behind. */
import type { KindDefinition } from '../../api/index.ts';
import { kindsOf, stateOfKind } from '../../operator/installed-kinds.ts';
import { nameOf } from './deployments.ts';
import type { Finding } from './findings.table.ts';
import { listed } from './listed.ts';
import type { Picture, Webhook } from './picture.ts';
import type { Side } from './side.ts';

type WebhookEntry = NonNullable<Webhook['webhooks']>[number];

const INSTALL = 'chandler crds | kubectl apply --server-side --force-conflicts -f -';

export function judgeKinds({ definitions, hashKinds, webhooks, karpenterSide }: Picture): readonly Finding[] {
  const [nodeClasses = []] = hashKinds;
  const kinds = kindsOf(nodeClasses, { overlays: false });
  const groups = [...new Set(kinds.map(({ group }) => group))];
  const ofKinds = definitions === undefined ? [] : kinds.flatMap((kind) => judgeKind(kind, definitions));
  return [...ofKinds, ...webhooks.flatMap((webhook) => judgeWebhook(webhook, groups, karpenterSide))];
}

// ---------------------------------------------------------------------------------------------------

function judgeKind(
  kind: KindDefinition,
  definitions: NonNullable<Picture['definitions']>,
): readonly Finding[] {
  const name = `${kind.plural}.${kind.group}`;
  const installed = definitions.find(({ metadata }) => metadata.name === name);
  const state = stateOfKind(kind, installed);
  const strategy = installed?.spec?.conversion?.strategy;
  const conversion: readonly Finding[] =
    strategy === 'Webhook'
      ? [
          {
            code: 'ConversionWebhook',
            message: `CRD ${name} converts its objects by a webhook that Karpenter serves; without Karpenter they could not be read.`,
            fix: `upgrade Karpenter to 1.1 or later, which migrates them, or, if all are stored as v1, ${INSTALL}`,
          },
        ]
      : [];
  if (state.problem !== undefined) {
    const code = state.problem === 'missing' ? 'CrdMissing' : 'CrdVersion';
    return [...conversion, { code, message: `CRD ${state.text}.`, fix: INSTALL }];
  }
  if (state.pruned.length === 0) return conversion;
  const shown = listed(state.pruned.map(({ path }) => path));
  return [
    ...conversion,
    {
      code: 'CrdOlder',
      message: `CRD ${name} is older than that of Chandler and drops these fields: ${shown}.`,
      fix: INSTALL,
    },
  ];
}

function judgeWebhook(
  { metadata, webhooks = [] }: Webhook,
  groups: readonly string[],
  karpenter: Side | undefined,
): readonly Finding[] {
  const blocking = webhooks.filter(
    ({ failurePolicy = 'Fail', rules = [] }) =>
      failurePolicy === 'Fail' &&
      rules.some(({ apiGroups = [] }) => apiGroups.some((each) => groups.includes(each))),
  );
  if (blocking.length === 0) return [];
  const asked = `Webhook ${metadata.name} is asked about writes to ${groups.join(', ')}`;
  if (!blocking.some((each) => isServedBy(each, karpenter))) {
    const { service, url } = blocking[0]?.clientConfig ?? {};
    const by = service === undefined ? (url ?? 'another program') : `Service ${nameOf(service)}`;
    return [
      {
        code: 'WebhookOfOthers',
        message: `${asked}, those of Chandler too; ${by} serves it.`,
        fix: '',
      },
    ];
  }
  return [
    {
      code: 'WebhookLeftOver',
      message: `${asked}, and Karpenter serves it: without Karpenter they fail.`,
      fix: `if an old release of Karpenter left it behind: kubectl delete validatingwebhookconfiguration,mutatingwebhookconfiguration ${metadata.name} --ignore-not-found`,
    },
  ];
}

/** Karpenter's charts give its Service the name of its Deployment; one with its name in its namespace counts, too. */
function isServedBy({ clientConfig }: WebhookEntry, karpenter: Side | undefined): boolean {
  const { namespace, name = '' } = karpenter?.deployment.metadata ?? {};
  const service = clientConfig?.service;
  if (service === undefined || service.namespace !== namespace) return false;
  return service.name === name || service.name.includes('karpenter');
}
