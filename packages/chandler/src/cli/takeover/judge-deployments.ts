/** Findings about the two Deployments: which they are, Karpenter's version, who else changes them, and whether Chandler has been tried. */
import type { Deployment, Stored } from '@chandler/kube';
import { MANAGED_KARPENTERS } from '../../cloud/registry.ts';
import { isReady, keyOfDeployment, nameOf, replicasOf } from './deployments.ts';
import type { Finding } from './findings.table.ts';
import { observes } from './observe-flag.ts';
import type { Picture } from './picture.ts';

/** Releases of Karpenter's core whose objects and hashes were compared with ours. */
const FIRST_MINOR = 0;
const LAST_MINOR = 15;

export function judgeDeployments(picture: Picture): readonly Finding[] {
  return [...judgeKarpenter(picture), ...judgeChandler(picture)];
}

/** Of the tag of its image, else of its label: `1.6.5`. */
export function versionOf({ metadata, spec }: Deployment): string | undefined {
  const tags = spec.template.spec.containers.map(({ image = '' }) => TAG.exec(image)?.[1]);
  return tags.find((tag) => tag !== undefined) ?? VERSION.exec(metadata.labels?.[VERSION_LABEL] ?? '')?.[1];
}

// ---------------------------------------------------------------------------------------------------

const VERSION_LABEL = 'app.kubernetes.io/version';
const TAG = /:v?(\d+\.\d+\.\d+[^@]*)(?:@|$)/;
const VERSION = /^v?(\d+\.\d+\.\d+.*)$/;

function judgeKarpenter({ karpenter, pools }: Picture): readonly Finding[] {
  if ('one' in karpenter) return [...judgeVersion(karpenter.one), ...judgeOwners(karpenter.one)];
  const { candidates } = karpenter;
  if (candidates.length > 0)
    return [
      {
        code: 'KarpenterAmbiguous',
        message: `Several Deployments run Karpenter: ${candidates.join(', ')}.`,
        fix: 'name one with --karpenter NAMESPACE/NAME; if both act on the same nodes, remove one first',
      },
    ];
  const managed = MANAGED_KARPENTERS.find((service) => pools.some((pool) => service.owns(pool)));
  if (managed !== undefined)
    return [
      {
        code: 'KarpenterManaged',
        message: `${managed.service} runs Karpenter outside this cluster, where it cannot be scaled down.`,
        fix: 'move its nodes step by step instead: docs/takeover.md',
      },
    ];
  return [
    {
      code: 'KarpenterMissing',
      message:
        'No Deployment runs Karpenter; one that the provider manages runs outside the cluster and cannot be scaled down.',
      fix: 'name its Deployment with --karpenter NAMESPACE/NAME; without Karpenter, start Chandler alone',
    },
  ];
}

function judgeVersion(deployment: Stored<Deployment>): readonly Finding[] {
  const name = nameOf(keyOfDeployment(deployment));
  const version = versionOf(deployment);
  if (version === undefined)
    return [
      {
        code: 'KarpenterVersionUnknown',
        message: `Neither the image nor the labels of Deployment ${name} name the version of Karpenter.`,
        fix: `make sure that it is 1.${FIRST_MINOR} to 1.${LAST_MINOR}, then accept this`,
      },
    ];
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 1)
    return [
      {
        code: 'KarpenterTooOld',
        message: `Karpenter ${version} (Deployment ${name}) stores its objects in versions before karpenter.sh/v1.`,
        fix: 'upgrade Karpenter to 1.1 or later first',
      },
    ];
  if (major > 1 || minor > LAST_MINOR)
    return [
      {
        code: 'KarpenterNewer',
        message: `Karpenter ${version} (Deployment ${name}) is newer than 1.${LAST_MINOR}, the last one that Chandler was compared with.`,
        fix: 'upgrade Chandler; or run with --observe, check that no node would drift, and accept this',
      },
    ];
  return [];
}

/** Labels and annotations of programs that undo what others change. */
const OWNERS: readonly (readonly [key: RegExp, who: string, fix: string])[] = [
  [
    /^argocd\.argoproj\.io\//,
    'Argo CD',
    'set 0 replicas in its source, or ignore differences of spec.replicas',
  ],
  [/^(?:helm|kustomize)\.toolkit\.fluxcd\.io\//, 'Flux', 'set 0 replicas in its source, or suspend it'],
];

function judgeOwners(deployment: Stored<Deployment>): readonly Finding[] {
  const { labels, annotations } = deployment.metadata;
  const keys = Object.keys({ ...labels, ...annotations });
  return OWNERS.filter(([key]) => keys.some((each) => key.test(each))).map(([, who, fix]) => ({
    code: 'ScaledByOthers',
    message: `${who} manages Deployment ${nameOf(keyOfDeployment(deployment))}, and may scale it up again.`,
    fix,
  }));
}

function judgeChandler({ chandler, chandlerSide }: Picture): readonly Finding[] {
  if (!('one' in chandler)) {
    const { candidates } = chandler;
    return candidates.length > 0
      ? [
          {
            code: 'ChandlerAmbiguous',
            message: `Several Deployments run Chandler: ${candidates.join(', ')}.`,
            fix: 'name one with --chandler NAMESPACE/NAME',
          },
        ]
      : [
          {
            code: 'ChandlerMissing',
            message: 'No Deployment runs Chandler.',
            fix: "install it in Karpenter's namespace with --observe, or with 0 replicas",
          },
        ];
  }
  const name = nameOf(keyOfDeployment(chandler.one));
  if (replicasOf(chandler.one) === 0 || !observes(chandler.one.spec.template.spec.containers))
    return [
      {
        code: 'NotObserved',
        message: `Chandler (Deployment ${name}) does not run with --observe, so nothing shows what it would do.`,
        fix: 'run it with --observe, read its log and its metrics chandler_observe_*, or accept this',
      },
    ];
  if (chandlerSide?.pods.some(isReady) === true) return [];
  return [
    {
      code: 'ChandlerNotReady',
      message: `No pod of Chandler (Deployment ${name}) is Ready, so it would probably not lead.`,
      fix: `kubectl -n ${chandler.one.metadata.namespace} describe pods -l ${labelsOf(chandler.one)}`,
    },
  ];
}

function labelsOf({ spec }: Deployment): string {
  return Object.entries(spec.selector.matchLabels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
