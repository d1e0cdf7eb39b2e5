import {
  anAksNodeClass,
  cluster,
  clusterState,
  KUBELET,
  NODE_GROUP,
  PRINCIPAL,
  SUBNET,
  SUBSCRIPTION,
  values,
} from './aks.ts';
import { aNodePool, aResource, aState, type ExampleTable } from './example.ts';

const GROUP = `/subscriptions/${SUBSCRIPTION}/resourceGroups/shop`;
const SET = `${GROUP}/providers/Microsoft.Compute/diskEncryptionSets/shop`;
const VAULT = `${GROUP}/providers/Microsoft.KeyVault/vaults/shop-keys`;

/** The sizes are in line 11, the limit in line 13. */
const sized = (...names: readonly string[]) =>
  aNodePool(`  template:
    spec:
      requirements:
        - key: karpenter.azure.com/sku-name
          operator: In
          values: [${names.join(', ')}]
  limits:
    cpu: 100`);
const quota = (value: number) => ({
  'state.json': aState(
    aResource('azapi_resource', 'quota', {
      type: 'Microsoft.Quota/quotas@2025-03-01',
      name: 'standardDSv5Family',
      body: { properties: { limit: { limitObjectType: 'LimitValue', value } } },
    }),
  ),
});
/** The reference is in lines 9 to 11. */
const referring = (name: string) =>
  aNodePool(`  template:
    spec:
      nodeClassRef:
        group: karpenter.azure.com
        kind: AKSNodeClass
        name: ${name}`);
const identities = (...ids: readonly string[]) =>
  values({ NODE_IDENTITIES: ids.join(','), VNET_SUBNET_ID: SUBNET });
const kubelet = aState(clusterState({ kubelet_identity: [{ user_assigned_identity_id: KUBELET }] }));
const SSH = 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 shop';
const required = (location: string) =>
  values({
    SSH_PUBLIC_KEY: SSH,
    VNET_SUBNET_ID: SUBNET,
    ARM_SUBSCRIPTION_ID: SUBSCRIPTION,
    LOCATION: location,
  }).replace(
    '  env:\n',
    '  env:\n    - name: KUBELET_BOOTSTRAP_TOKEN\n      valueFrom:\n        secretKeyRef: {name: token, key: token}\n',
  );

const set = (more: object) =>
  aResource('azurerm_disk_encryption_set', 'shop', {
    id: SET,
    name: 'shop',
    location: 'westeurope',
    key_vault_key_id: 'https://shop-keys.vault.azure.net/keys/disks',
    auto_key_rotation_enabled: true,
    identity: [{ type: 'SystemAssigned', principal_id: PRINCIPAL }],
    ...more,
  });
const vault = (more: object) =>
  aResource('azurerm_key_vault', 'shop', {
    id: VAULT,
    name: 'shop-keys',
    location: 'westeurope',
    rbac_authorization_enabled: true,
    purge_protection_enabled: true,
    ...more,
  });
const user = (role: string) =>
  aResource('azurerm_role_assignment', 'set', {
    scope: VAULT,
    role_definition_name: role,
    principal_id: PRINCIPAL,
  });
const encrypted = (id: string) => values({ NODE_OSDISK_DISKENCRYPTIONSET_ID: id, VNET_SUBNET_ID: SUBNET });

export const AKS_NODE_EXAMPLES: ExampleTable = {
  'A-20': {
    fails: { status: 'fail', files: { 'pool.yaml': sized('D4s_v5') }, sources: ['pool.yaml:11'] },
    passes: { files: { 'pool.yaml': sized('Standard_D4s_v5') }, sources: ['pool.yaml:11'] },
  },
  'A-21': {
    fails: {
      status: 'fail',
      files: { 'pool.yaml': sized('Standard_D8s_v5'), ...quota(4) },
      sources: ['pool.yaml:11', 'pool.yaml:13', 'state.json:2'],
    },
    passes: {
      files: { 'pool.yaml': sized('Standard_D8s_v5'), ...quota(200) },
      sources: ['pool.yaml:11', 'pool.yaml:13', 'state.json:2'],
    },
  },
  'A-22': {
    fails: {
      status: 'fail',
      files: {
        'class.yaml': anAksNodeClass('  imageFamily: Ubuntu\n  fipsMode: FIPS'),
        'values.yaml': values({ USE_SIG: '"false"', VNET_SUBNET_ID: SUBNET }),
      },
      sources: ['class.yaml:6', 'class.yaml:7', 'values.yaml:4'],
    },
    passes: {
      files: {
        'class.yaml': anAksNodeClass('  imageFamily: AzureLinux'),
        'main.tf': cluster('  kubernetes_version  = "1.33"\n'),
      },
      sources: ['class.yaml:6', 'main.tf:6'],
    },
  },
  'A-23': {
    fails: {
      status: 'fail',
      files: { 'values.yaml': required('northeurope'), 'main.tf': cluster() },
      sources: ['values.yaml:13', 'main.tf:3'],
    },
    passes: {
      files: { 'values.yaml': required('westeurope'), 'main.tf': cluster() },
      sources: ['values.yaml:11'],
    },
  },
  'A-24': {
    fails: {
      status: 'fail',
      files: { 'values.yaml': identities(`${NODE_GROUP}/providers/x/y/z`), 'state.json': kubelet },
      sources: ['values.yaml:4', 'state.json:2'],
    },
    passes: {
      files: { 'values.yaml': identities(KUBELET), 'state.json': kubelet },
      sources: ['values.yaml:4', 'state.json:2'],
    },
  },
  'A-25': {
    fails: {
      status: 'fail',
      files: {
        'values.yaml': encrypted(SET),
        'state.json': aState(clusterState({}), set({ location: 'northeurope' })),
      },
      sources: ['values.yaml:4', 'state.json:3', 'state.json:2'],
    },
    passes: {
      files: { 'values.yaml': encrypted(SET), 'state.json': aState(clusterState({}), set({})) },
      sources: ['values.yaml:4', 'state.json:3'],
    },
  },
  'A-27': {
    fails: {
      status: 'fail',
      files: {
        'values.yaml': encrypted(SET),
        'state.json': aState(set({}), vault({}), user('Key Vault Reader')),
      },
      sources: ['state.json:3', 'state.json:4', 'state.json:4'],
    },
    passes: {
      files: {
        'values.yaml': encrypted(SET),
        'state.json': aState(set({}), vault({}), user('Key Vault Crypto Service Encryption User')),
      },
      sources: ['state.json:3', 'state.json:4', 'state.json:4'],
    },
  },
  'A-28': {
    fails: {
      status: 'fail',
      files: {
        'values.yaml': encrypted(SET),
        'state.json': aState(set({}), vault({ purge_protection_enabled: false })),
      },
      sources: ['state.json:3'],
    },
    passes: {
      files: { 'values.yaml': encrypted(SET), 'state.json': aState(set({}), vault({})) },
      sources: ['state.json:2', 'state.json:2'],
    },
  },
  'A-30': {
    fails: {
      status: 'fail',
      files: { 'class.yaml': anAksNodeClass('  imageFamily: Ubuntu'), 'pool.yaml': referring('other') },
      sources: ['pool.yaml:9', 'pool.yaml:10', 'pool.yaml:11'],
    },
    passes: {
      files: { 'class.yaml': anAksNodeClass('  imageFamily: Ubuntu'), 'pool.yaml': referring('default') },
      sources: ['class.yaml:1'],
    },
  },
};
