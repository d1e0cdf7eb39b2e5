/**
 * The tags on everything we make. Those of upstream find VMs of a pool; ours say for which claim a VM was
 * made, which decides whose it is. Azure takes no slash in a tag's name.
 */

export const Tag = {
  cluster: 'karpenter.azure.com_cluster',
  nodePool: 'karpenter.sh_nodepool',
  billing: 'compute.aks.billing',
  /** On VMs that AKS made; never ours to touch. */
  aksMachine: 'karpenter.azure.com_aksmachine_nodeclaim',
  claimUid: 'chandler.sh_claim-uid',
  claimName: 'chandler.sh_claim',
  nodeClass: 'chandler.sh_nodeclass',
} as const;

export type Tags = Readonly<Record<string, string>>;

export interface TagRequest {
  readonly clusterName: string;
  readonly additionalTags: Tags;
  readonly nodeClassTags: Tags;
  readonly nodePool: string | undefined;
  readonly claim: { readonly name: string; readonly uid: string; readonly nodeClass: string };
}

/** additional-tags, then those of the node class, then ours; later ones win. Azure compares names without case. */
export function vmTags(request: TagRequest): Tags {
  const { uid, name, nodeClass } = request.claim;
  return layered([
    request.additionalTags,
    request.nodeClassTags,
    fixedTags(request),
    { [Tag.claimUid]: uid, [Tag.claimName]: name, [Tag.nodeClass]: nodeClass },
  ]);
}

/** What upstream would put on it too: these are in the hash of the in-place update. */
export function sharedTags(request: Omit<TagRequest, 'claim'>): Tags {
  return layered([request.additionalTags, request.nodeClassTags, fixedTags(request)]);
}

export function readTag(tags: Tags | undefined, name: string): string | undefined {
  if (tags === undefined) return undefined;
  const exact = tags[name];
  if (exact !== undefined) return exact;
  const found = Object.entries(tags).find(([key]) => key.toLowerCase() === name.toLowerCase());
  return found?.[1];
}

// ---------------------------------------------------------------------------------------------------

/** With one of these from a user, a VM would be taken for somebody else's. */
const RESERVED: ReadonlySet<string> = new Set([Tag.aksMachine, Tag.claimUid, Tag.claimName, Tag.nodeClass]);

function fixedTags({ clusterName, nodePool }: Omit<TagRequest, 'claim'>): Tags {
  return {
    [Tag.cluster]: clusterName,
    [Tag.billing]: 'linux',
    ...(nodePool === undefined ? {} : { [Tag.nodePool]: nodePool }),
  };
}

/** Layers of tags, the strongest last; in order of name. The last layer may use any name. */
function layered(layers: readonly Tags[]): Tags {
  const chosen = new Map<string, readonly [name: string, value: string]>();
  layers.forEach((layer, at) => {
    for (const [given, value] of Object.entries(layer)) {
      const name = given.replaceAll('/', '_');
      const ofUser = at < 2;
      if (ofUser && RESERVED.has(name.toLowerCase())) continue;
      chosen.set(name.toLowerCase(), [name, value]);
    }
  });
  return Object.fromEntries([...chosen.values()].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
