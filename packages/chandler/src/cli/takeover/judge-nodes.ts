/**
 * Findings about NodePools, node classes and NodeClaims: whether our hashes differ from those that Karpenter wrote, so that nodes
 * would be replaced, and what is in flight. Drift that only the cloud can tell is what `--observe` reports.
 */
import { conditionOf, type KubeObject, type Stored } from '@chandler/kube';
import { KarpenterLabel, type NodeClaim } from '../../api/index.ts';
import type { ObjectHash } from '../../cloud/index.ts';
import { NODE_POOL_HASH } from '../../operator/own-hashes.ts';
import type { Finding } from './findings.table.ts';
import { listed } from './listed.ts';
import type { Picture } from './picture.ts';

export function judgeNodes(picture: Picture): readonly Finding[] {
  return [...judgeHashes(picture), ...judgeClaims(picture), ...judgeOtherClasses(picture)];
}

export interface ClaimCounts {
  readonly inFlight: readonly string[];
  readonly drifted: readonly string[];
}

export function countClaims(claims: readonly Stored<NodeClaim>[]): ClaimCounts {
  const names = (which: (claim: Stored<NodeClaim>) => boolean) =>
    claims.filter(which).map(({ metadata }) => metadata.name);
  return {
    inFlight: names(
      (claim) =>
        claim.metadata.deletionTimestamp !== undefined ||
        conditionOf(claim, 'Initialized')?.status !== 'True',
    ),
    drifted: names((claim) => conditionOf(claim, 'Drifted')?.status === 'True'),
  };
}

// ---------------------------------------------------------------------------------------------------

interface Hashed {
  readonly what: string;
  readonly object: Stored;
  /** One for each CA bundle that may be part of it. */
  readonly ways: readonly ObjectHash[];
  readonly claims: readonly Stored<NodeClaim>[];
}

function judgeHashes(picture: Picture): readonly Finding[] {
  const all = [...poolHashes(picture), ...classHashes(picture)];
  return all.flatMap((hashed) => judgeHash(hashed));
}

function judgeHash({ what, object, ways, claims }: Hashed): readonly Finding[] {
  const [way] = ways;
  if (way === undefined) return [];
  const written = annotationOf(object, way.hashKey);
  const version = annotationOf(object, way.versionKey);
  if (written === undefined) return [];
  if (version !== way.version)
    return [
      {
        code: 'HashesRewritten',
        message: `${what} has a hash of version ${version ?? 'none'}; Chandler rewrites it and those of its ${claims.length} NodeClaims as ${way.version}, without drift.`,
        fix: '',
      },
    ];
  if (ways.some((each) => each.hash(object) === written)) return [];
  // Those that Karpenter would replace, too, are counted among the drifted ones.
  const affected = claims.filter((claim) => annotationOf(claim, way.hashKey) === written);
  if (affected.length === 0) return [];
  return [
    {
      code: 'WouldDrift',
      message: `${what} has the hash ${written}, Chandler computes ${way.hash(object)}: ${named(affected)} would drift, because an annotation, or a field that Chandler does not know, differs.`,
      fix: 'compare the object with the CRDs of Chandler; accept this only if these nodes may be replaced',
    },
  ];
}

function poolHashes({ pools, claims }: Picture): readonly Hashed[] {
  return pools.map((object) => {
    const { name } = object.metadata;
    const own = claims.filter(({ metadata }) => metadata.labels?.[KarpenterLabel.nodePool] === name);
    return { what: `NodePool ${name}`, object, ways: [NODE_POOL_HASH], claims: own };
  });
}

function classHashes({ nodeClasses, hashKinds, claims }: Picture): readonly Hashed[] {
  return nodeClasses.flatMap(({ kind, objects }) => {
    const ways = hashKinds.flatMap((kinds) =>
      kinds
        .filter((each) => each.kind === kind.kind)
        .flatMap(({ hash }) => (hash === undefined ? [] : [hash])),
    );
    return objects.map((object): Hashed => {
      const { name } = object.metadata;
      const own = claims.filter(
        ({ spec: { nodeClassRef } }) => nodeClassRef.kind === kind.kind && nodeClassRef.name === name,
      );
      return { what: `${kind.kind} ${name}`, object, ways, claims: own };
    });
  });
}

function judgeClaims({ claims }: Picture): readonly Finding[] {
  const { inFlight, drifted } = countClaims(claims);
  const findings: Finding[] = [];
  if (inFlight.length > 0)
    findings.push({
      code: 'ClaimsInFlight',
      message: `${inFlight.length} NodeClaims are being launched or deleted (${listed(inFlight)}); Chandler continues them.`,
      fix: '',
    });
  if (drifted.length > 0)
    findings.push({
      code: 'AlreadyDrifted',
      message: `${drifted.length} NodeClaims have drifted already (${listed(drifted)}); Chandler replaces them, as Karpenter would.`,
      fix: '',
    });
  return findings;
}

function judgeOtherClasses({ pools, hashKinds: [kinds = []] }: Picture): readonly Finding[] {
  return pools.flatMap(({ metadata, spec }): Finding[] => {
    const { group, kind } = spec?.template?.spec?.nodeClassRef ?? {};
    if (kinds.some((each) => each.group === group && each.kind === kind)) return [];
    return [
      {
        code: 'OtherNodeClass',
        message: `NodePool ${metadata.name} uses ${kind} of ${group}, which another controller serves; Chandler leaves it alone.`,
        fix: '',
      },
    ];
  });
}

function annotationOf({ metadata }: KubeObject, key: string): string | undefined {
  return metadata.annotations?.[key];
}

function named(claims: readonly Stored<NodeClaim>[]): string {
  return `${claims.length} NodeClaims (${listed(claims.map(({ metadata }) => metadata.name))})`;
}
