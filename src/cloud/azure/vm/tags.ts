/**
 * The tags on everything we make. Those of upstream find machines of a pool; ours say for which claim a machine was
 * made, which decides whose it is. Azure takes no slash in a tag's name.
 */

export const Tag = {
  cluster: 'karpenter.azure.com_cluster',
  nodePool: 'karpenter.sh_nodepool',
  billing: 'compute.aks.billing',
  /** On machines that AKS made; never ours to touch. */
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
export function machineTags(request: TagRequest): Tags {
  const chosen = new Map<string, [name: string, value: string]>();
  const add = (name: string, value: string) => {
    const key = name.replaceAll('/', '_');
    chosen.set(key.toLowerCase(), [key, value]);
  };
  for (const [name, value] of Object.entries(sharedTags(request))) add(name, value);
  add(Tag.claimUid, request.claim.uid);
  add(Tag.claimName, request.claim.name);
  add(Tag.nodeClass, request.claim.nodeClass);
  return inOrder([...chosen.values()]);
}

/** What upstream would put on it too: these are in the hash of the in-place update. */
export function sharedTags(request: Omit<TagRequest, 'claim'>): Tags {
  const chosen = new Map<string, [name: string, value: string]>();
  const add = (name: string, value: string) => {
    const key = name.replaceAll('/', '_');
    chosen.set(key.toLowerCase(), [key, value]);
  };
  for (const [name, value] of Object.entries(request.additionalTags)) add(name, value);
  for (const [name, value] of Object.entries(request.nodeClassTags)) add(name, value);
  add(Tag.cluster, request.clusterName);
  add(Tag.billing, 'linux');
  if (request.nodePool !== undefined) add(Tag.nodePool, request.nodePool);
  return inOrder([...chosen.values()]);
}

export function readTag(tags: Tags | undefined, name: string): string | undefined {
  if (tags === undefined) return undefined;
  const exact = tags[name];
  if (exact !== undefined) return exact;
  const found = Object.entries(tags).find(([key]) => key.toLowerCase() === name.toLowerCase());
  return found?.[1];
}

// ---------------------------------------------------------------------------------------------------

function inOrder(entries: [string, string][]): Tags {
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
