/** Findings about the two Deployments: which they are, Karpenter's version, who else changes them, and whether Chandler has been tried. */
import type { Deployment, Stored } from '@chandler/kube';
import { MANAGED_KARPENTERS } from '../../cloud/registry.ts';
import { observes } from '../../settings/index.ts';
import { isReady, keyOfDeployment, nameOf, replicasOf } from './deployments.ts';
import type { Finding } from './findings.table.ts';
import type { Picture } from './picture.ts';
import type { Side } from './side.ts';

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
  if ('one' in karpenter)
    return [...judgeVersion(karpenter.one), ...judgeOwners(karpenter.one, '0 replicas')];
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
const OWNERS: readonly (readonly [key: RegExp, who: string])[] = [
  [/^argocd\.argoproj\.io\//, 'Argo CD'],
  [/^(?:helm|kustomize)\.toolkit\.fluxcd\.io\//, 'Flux'],
];

function judgeOwners(deployment: Stored<Deployment>, wanted: string): readonly Finding[] {
  const { labels, annotations } = deployment.metadata;
  const keys = Object.keys({ ...labels, ...annotations });
  return OWNERS.filter(([key]) => keys.some((each) => key.test(each))).map(([, who]) => ({
    code: 'ScaledByOthers',
    message: `${who} manages Deployment ${nameOf(keyOfDeployment(deployment))}, and may undo what the takeover changes.`,
    fix: `suspend it for the takeover, then set ${wanted} in its source; or let it ignore the difference`,
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
  const owners = judgeOwners(chandler.one, 'the replicas, without --observe,');
  const tried = judgeTried(chandler.one, chandlerSide);
  return tried === undefined ? owners : [...owners, tried];
}

function judgeTried(deployment: Stored<Deployment>, side: Side | undefined): Finding | undefined {
  const name = nameOf(keyOfDeployment(deployment));
  if (replicasOf(deployment) === 0 || !observes(deployment.spec.template.spec.containers))
    return {
      code: 'NotObserved',
      message: `Chandler (Deployment ${name}) does not run with --observe, so nothing shows what it would do.`,
      fix: 'run it with --observe, read its log and its metrics chandler_observe_*, or accept this',
    };
  if (side?.pods.some(isReady) === true) return undefined;
  return {
    code: 'ChandlerNotReady',
    message: `No pod of Chandler (Deployment ${name}) is Ready, so it would probably not lead.`,
    fix: `kubectl -n ${deployment.metadata.namespace} describe pods -l ${labelsOf(deployment)}`,
  };
}

function labelsOf({ spec }: Deployment): string {
  return Object.entries(spec.selector.matchLabels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
