/** Checks of AKS: disks are encrypted with a key of the customer, from the option over the set to the key and its vault. */
import { parseResourceId } from '../../../../arm/index.ts';
import { optionOf } from '../../../azure/helm-options.ts';
import type { AzureObject } from '../../../azure/objects.ts';
import { regionName } from '../../../azure/picture.ts';
import { granted } from '../../../azure/roles.ts';
import { isFieldOf, judgeScenes, type Scene } from '../../../azure/scenes.ts';
import { type Answer, hasSymbol, sameId, sameText, symbolOf } from '../../../azure/symbols.ts';
import { placeholderIn } from '../../../facts/placeholder.ts';
import type { HelmRelease } from '../../../inputs/inputs.ts';
import type { Evidence, Judgement } from '../../../model/finding.ts';
import { find, itemsAt, type Tree, textOf } from '../../../model/tree.ts';
import type { CheckRow } from '../../check.ts';
import { DOCS } from '../../docs.table.ts';
import { fail, pass, skip, warn } from '../../judgements.ts';
import { INFRASTRUCTURE } from './compare.ts';
import { diskEncryptionSetIds, SET_OPTION } from './disk-encryption-ids.ts';
import type { ChosenId } from './subnet-ids.ts';

const KEY_PERMISSIONS = ['get', 'wrapkey', 'unwrapkey'];
const KEY_ACTIONS = [
  'Microsoft.KeyVault/vaults/keys/read',
  'Microsoft.KeyVault/vaults/keys/wrap/action',
  'Microsoft.KeyVault/vaults/keys/unwrap/action',
];

export const AKS_DISK_ENCRYPTION_CHECKS: readonly CheckRow[] = [
  {
    id: 'A-25',
    title: 'Nodes use the disk encryption set of the AKS cluster',
    inputs: [['values', 'nodeClasses']],
    criterion:
      'Passes if NODE_OSDISK_DISKENCRYPTIONSET_ID and osDiskDiskEncryptionSetID are IDs of disk encryption sets in the region of the cluster. Fails if one is no such ID, a placeholder or in another region, or if the cluster has a set and Karpenter is not told (Chandler reads it from the cluster). Warns if the cluster has another set.',
    severity: 'critical',
    phase: 2,
    fix: 'Set NODE_OSDISK_DISKENCRYPTIONSET_ID to the ID of the disk encryption set of the cluster (az aks show --query diskEncryptionSetId).',
    docs: DOCS.azureKeys,
    judge: (context) =>
      judgeScenes(context, (scene) => [
        ...scene.releases.flatMap((release) => forgotten(scene, release)),
        ...diskEncryptionSetIds(scene)
          .filter(
            ({ evidence }) =>
              evidence.source === 'values' ||
              evidence.source === 'manifest' ||
              evidence.what.startsWith('controller.env'),
          )
          .map((chosen) => setOf(scene, chosen)),
      ]),
  },
  {
    id: 'A-27',
    title: 'The disk encryption set may use its key',
    inputs: [INFRASTRUCTURE],
    criterion:
      'Passes if the identity of each disk encryption set of nodes has a role on the vault (Key Vault Crypto Service Encryption User) or an access policy with get, wrapKey and unwrapKey. Fails if it has neither. Skipped for a vault in a subscription whose roles were not read.',
    severity: 'critical',
    phase: 1,
    fix: 'Assign Key Vault Crypto Service Encryption User on the vault to the principal ID of the disk encryption set, or add an access policy with Get, WrapKey and UnwrapKey.',
    docs: DOCS.azureKeys,
    judge: (context) => judgeScenes(context, (scene) => sets(scene).map((set) => access(scene, set))),
  },
  {
    id: 'A-28',
    title: 'The key of the disk encryption set can be relied on',
    inputs: [INFRASTRUCTURE],
    criterion:
      'Fails if the vault has no purge protection, is in another region than the set, or is closed to services of Azure; if the key cannot wrap keys or is disabled; or if the set rotates automatically and names one version of the key. Warns if the set does not rotate automatically, or the key expires without a rotation policy.',
    severity: 'high',
    phase: 1,
    fix: 'Enable purge protection, allow trusted services (bypass = "AzureServices"), and set auto_key_rotation_enabled with the versionless ID of the key.',
    docs: DOCS.azureKeys,
    judge: (context) => judgeScenes(context, (scene) => sets(scene).flatMap((set) => reliance(scene, set))),
  },
];

// ---------------------------------------------------------------------------------------------------------------

/** The cluster has a set, and nothing tells Karpenter: disks of its nodes get a key of the platform. */
function forgotten({ cluster, nodeClasses }: Scene, release: HelmRelease): readonly Judgement[] {
  const set = cluster?.field('diskEncryptionSet');
  // What the module leaves out is not known, and most clusters have none.
  if (cluster === undefined || set === undefined || symbolOf(set) === undefined || symbolOf(set) === '')
    return [];
  const option = optionOf(release, SET_OPTION);
  const isTold =
    nodeClasses.length > 0 &&
    nodeClasses.every(({ tree }) => find(tree, 'spec', 'osDiskDiskEncryptionSetID') !== undefined);
  if ((option.state === 'set' && option.text !== '') || isTold) return [];
  const object = release.origin;
  const evidence = [option.evidence, cluster.seen('diskEncryptionSet')];
  if (option.state === 'unknown') return [skip('The option is not known.', ['values'], evidence, { object })];
  if (release.chart?.split('/').at(-1) === 'chandler')
    return [pass('Chandler reads the set from the cluster.', evidence, { object })];
  return [
    fail('The cluster has a disk encryption set, and disks of new nodes would not use it.', evidence, {
      object,
    }),
  ];
}

function setOf({ cluster, picture }: Scene, { id, evidence, object }: ChosenId): Judgement {
  const waiting = hasSymbol(id) ? undefined : placeholderIn(id);
  if (waiting !== undefined) return fail(`The ID is a placeholder (${waiting}).`, [evidence], { object });
  if (!hasSymbol(id) && !id.includes('*')) {
    const parsed = parseResourceId(id, 'Microsoft.Compute/diskEncryptionSets');
    if ('problem' in parsed) return fail(`The ID ${parsed.problem}.`, [evidence], { object });
  }
  const set = picture.at('diskEncryptionSet', id);
  const where = set?.text('location');
  const location = cluster?.text('location');
  if (set !== undefined && cluster !== undefined && where !== undefined && location !== undefined) {
    const same = sameText(regionName(picture.expand(where)), regionName(picture.expand(location)));
    if (same === 'no')
      return fail(
        `The set is in ${regionName(where)}, and the cluster in ${regionName(location)}.`,
        [evidence, set.seen('location'), cluster.seen('location')],
        { object },
      );
  }
  const own =
    cluster?.field('diskEncryptionSet') === undefined ? undefined : cluster.text('diskEncryptionSet');
  const clusters: readonly Evidence[] =
    cluster === undefined || own === undefined ? [] : [cluster.seen('diskEncryptionSet')];
  if (own !== undefined && sameId(picture.expand(own), id) === 'no')
    return warn('The cluster has another disk encryption set.', [evidence, ...clusters], { object });
  if (set !== undefined)
    return pass('The set exists.', [evidence, set.seen('name'), ...clusters], { object });
  if (own !== undefined && sameId(picture.expand(own), id) === 'yes')
    return pass('It is the set of the cluster.', [evidence, ...clusters], { object });
  const others = picture.of('diskEncryptionSet').filter((each) => !each.isData);
  return others.length > 0 && others.every((each) => sameId(picture.idOf(each), id) === 'no')
    ? fail('There is no such disk encryption set.', [evidence, ...others.map((each) => each.seen('name'))], {
        object,
      })
    : skip('The set is not in these inputs.', INFRASTRUCTURE, [evidence], { object });
}

/** Disk encryption sets of nodes that the picture shows, each once. */
function sets(scene: Scene): readonly AzureObject[] {
  const found = diskEncryptionSetIds(scene).flatMap(
    ({ id }) => scene.picture.at('diskEncryptionSet', id) ?? [],
  );
  return [...new Map(found.filter(({ isData }) => !isData).map((set) => [set.address, set])).values()];
}

interface KeyChain {
  readonly key?: AzureObject;
  readonly vault?: AzureObject;
}

/** The key and the vault of a set: by reference, by ID, or by the address of the key. */
function chainOf({ picture }: Scene, set: AzureObject): KeyChain {
  const text = set.text('key') ?? '';
  const key = /^\{[^{}]+\}$/.test(text) ? picture.named(text)?.object : undefined;
  const [, host, name] = /^https:\/\/([^./]+)\.[^/]+\/keys\/([^/]+)/.exec(text) ?? [];
  const byAddress = picture
    .of('vault')
    .find((vault) => host !== undefined && vault.text('name')?.toLowerCase() === host.toLowerCase());
  const own =
    key?.kind === 'key'
      ? key
      : picture.of('key').find((each) => name !== undefined && each.text('name') === name);
  const vaultId = own?.text('vault') ?? (set.field('vault') === undefined ? undefined : set.text('vault'));
  const vault =
    vaultId === undefined ? byAddress : (picture.at('vault', picture.expand(vaultId)) ?? byAddress);
  return { ...(own === undefined ? {} : { key: own }), ...(vault === undefined ? {} : { vault }) };
}

function access(scene: Scene, set: AzureObject): Judgement {
  const { picture } = scene;
  const object = set.address;
  const { vault } = chainOf(scene, set);
  if (vault === undefined || vault.isData)
    return skip('The vault of the key is not in these inputs.', INFRASTRUCTURE, [set.seen('key')], {
      object,
    });
  const rbac = vault.field('rbac');
  const isPrincipal = principalOf(scene, set);
  if (rbac?.kind === 'unknown')
    return skip(
      'How the vault gives access is not known.',
      ['plan', 'state', 'cloud'],
      [vault.seen('rbac')],
      { object },
    );
  const { answer, evidence } =
    textOf(rbac) === 'true'
      ? granted(picture, isPrincipal, { dataActions: KEY_ACTIONS, on: picture.idOf(vault) })
      : policies(scene, vault, isPrincipal);
  const all = [vault.seen('rbac'), ...evidence];
  if (answer === 'yes') return pass('It may use the key.', all, { object });
  return answer === 'unknown'
    ? skip('Whether it may use the key is not known.', ['state', 'cloud'], all, { object })
    : fail(
        `No ${textOf(rbac) === 'true' ? 'role on' : 'access policy of'} the vault lets the set wrap and unwrap its key.`,
        all,
        { object },
      );
}

/** Whether a text is the principal ID of the set: of its own identity, or of one that is assigned to it. */
function principalOf({ picture }: Scene, set: AzureObject): (text: string) => Answer {
  const assigned = itemsAt(set.field('identityIds')).flatMap((tree) => {
    const id = symbolOf(tree);
    return id === undefined ? [] : (picture.at('identity', picture.expand(id)) ?? []);
  });
  return (text) => {
    const answers = [
      isFieldOf(text, set, 'principalId', picture),
      ...assigned.map((identity) => isFieldOf(text, identity, 'principalId', picture)),
    ];
    if (answers.includes('yes')) return 'yes';
    return answers.includes('unknown') ? 'unknown' : 'no';
  };
}

function policies(
  { picture }: Scene,
  vault: AzureObject,
  isPrincipal: (text: string) => Answer,
): { readonly answer: Answer; readonly evidence: readonly Evidence[] } {
  const id = picture.idOf(vault);
  const inline = itemsAt(vault.field('policies')).map((policy) => ({
    principal: symbolOf(find(policy, 'object_id') ?? find(policy, 'objectId')),
    permissions: find(policy, 'key_permissions') ?? find(policy, 'permissions', 'keys'),
    evidence: vault.seen('policies'),
  }));
  const separate = picture
    .of('accessPolicy')
    .filter((policy) => sameId(picture.expand(policy.text('vault') ?? '{}'), id) !== 'no')
    .map((policy) => ({
      principal: policy.text('principal'),
      permissions: policy.field('permissions'),
      evidence: policy.seen('permissions'),
    }));
  const judged = [...inline, ...separate].map(({ principal, permissions, evidence }) => {
    const isOwn = principal === undefined ? 'unknown' : isPrincipal(principal);
    return {
      evidence,
      answer: isOwn === 'no' ? ('no' as const) : isOwn === 'yes' ? enough(permissions) : ('unknown' as const),
    };
  });
  for (const answer of ['yes', 'unknown', 'no'] as const) {
    const own = judged.filter((each) => each.answer === answer);
    if (own.length > 0) return { answer, evidence: own.slice(0, 3).map(({ evidence }) => evidence) };
  }
  return { answer: 'no', evidence: [] };
}

function enough(permissions: Tree | undefined): Answer {
  if (permissions?.kind === 'unknown') return 'unknown';
  const own = itemsAt(permissions).map((item) => textOf(item)?.toLowerCase());
  return KEY_PERMISSIONS.every((wanted) => own.includes(wanted) || own.includes('all')) ? 'yes' : 'no';
}

function reliance(scene: Scene, set: AzureObject): readonly Judgement[] {
  const { key, vault } = chainOf(scene, set);
  return [
    ...(vault === undefined || vault.isData ? [] : [vaultOf(scene, set, vault)]),
    ...(key === undefined || key.isData ? [] : [keyOf(key)]),
    rotation(set),
  ];
}

function vaultOf({ picture }: Scene, set: AzureObject, vault: AzureObject): Judgement {
  const object = vault.address;
  if (textOf(vault.field('purgeProtection')) !== 'true' && vault.field('purgeProtection')?.kind !== 'unknown')
    return fail(
      'The vault has no purge protection, which disk encryption sets require.',
      [vault.seen('purgeProtection')],
      { object },
    );
  const where = vault.text('location');
  const other = set.text('location');
  const same =
    where === undefined || other === undefined
      ? 'unknown'
      : sameText(regionName(picture.expand(where)), regionName(picture.expand(other)));
  const regions = [vault.seen('location'), set.seen('location')];
  if (same === 'no') return fail('The vault and the set are in different regions.', regions, { object });
  const isClosed =
    textOf(vault.field('defaultAction'))?.toLowerCase() === 'deny' ||
    /^(false|disabled)$/i.test(textOf(vault.field('publicAccess')) ?? '');
  const bypass = vault.field('bypass');
  if (isClosed && bypass?.kind !== 'unknown' && !/azureservices/i.test(textOf(bypass) ?? ''))
    return fail(
      'The firewall of the vault lets no services of Azure pass, and disks need it.',
      [vault.seen('defaultAction'), vault.seen('bypass')],
      { object },
    );
  const evidence = [vault.seen('purgeProtection'), ...regions];
  return same === 'unknown'
    ? skip('The region of the vault is not known.', ['plan', 'state', 'cloud'], evidence, { object })
    : pass('The vault can hold the key of disks.', evidence, { object });
}

function keyOf(key: AzureObject): Judgement {
  const object = key.address;
  if (textOf(key.field('enabled')) === 'false')
    return fail('The key is disabled.', [key.seen('enabled')], { object });
  const operations = key.field('operations');
  const own = itemsAt(operations).map((item) => textOf(item)?.toLowerCase());
  if (operations?.kind === 'list' && !(own.includes('wrapkey') && own.includes('unwrapkey')))
    return fail('The key may not wrap and unwrap keys.', [key.seen('operations')], { object });
  const type = textOf(key.field('type'));
  if (type !== undefined && !/^RSA/i.test(type))
    return fail(`Keys of disks are of the type RSA, and this is ${type}.`, [key.seen('type')], { object });
  return key.field('expires') !== undefined && key.field('rotationPolicy') === undefined
    ? warn('The key expires, and nothing rotates it.', [key.seen('expires')], { object })
    : pass('The key can be used for disks.', [key.seen('type'), key.seen('operations')], { object });
}

function rotation(set: AzureObject): Judgement {
  const object = set.address;
  const tree = set.field('rotation');
  const evidence = [set.seen('rotation'), set.seen('key')];
  if (tree?.kind === 'unknown')
    return skip('Whether it rotates is not known.', ['plan', 'state', 'cloud'], evidence, { object });
  if (textOf(tree) !== 'true')
    return warn('The set does not take new versions of the key by itself.', evidence, { object });
  const key = set.text('key') ?? '';
  const isVersion =
    set.source !== 'live' && (/\.id\}$/.test(key) || /\/keys\/[^/]+\/[0-9a-f]{8,}$/i.test(key));
  return isVersion
    ? fail(
        'The set rotates automatically, and names one version of the key; use its versionless ID.',
        evidence,
        { object },
      )
    : pass('The set takes new versions of the key by itself.', evidence, { object });
}
