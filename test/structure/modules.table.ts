/**
 * The packages and the modules of the product: what each may import, and through which files others reach it
 * (docs/architecture.md gives the reasons). Everything may import the package `kube`.
 */
export interface PackageRow {
  /** Packages of this repository that it may import. */
  readonly imports: readonly string[];
}

/** By folder of `packages/`. Entry points are the `exports` of each package.json, which Node enforces too. */
export const PACKAGES: Readonly<Record<string, PackageRow>> = {
  kube: { imports: [] },
  apiserver: { imports: ['@chandler/kube'] },
  cloudsim: { imports: ['@chandler/kube'] },
  chandler: { imports: ['@chandler/kube', '@chandler/apiserver', '@chandler/cloudsim'] },
};

/** Modules of the product that may import the other side of the wire. */
export const IMPORTERS_OF_THE_OTHER_SIDE: readonly string[] = ['playground'];

export interface ModuleRow {
  /** Modules that it may import. */
  readonly imports: readonly string[];
  /** Entry points beside `index.ts`, each with the reason why it is one. */
  readonly entries?: Readonly<Record<string, string>>;
}

const BASE = ['api', 'settings', 'causes', 'journey', 'scheduling', 'disruption'] as const;
const CLOUDS = ['cloud', 'cloud/azure', 'cloud/aws', 'cloud/registry.ts'] as const;
const SHARED = [...BASE, 'arm', 'bootstrap', ...CLOUDS, 'state'] as const;

/** By folder of `packages/chandler/src/`. A module that is planned but not built yet stands here already. */
export const MODULES: Readonly<Record<string, ModuleRow>> = {
  api: {
    imports: [],
    entries: {
      'kinds/index.ts': 'schemas and CRDs as objects: large, and needed by few programs',
      'kinds/crd-files.ts': 'the files of the CRD chart, with a YAML writer',
    },
  },
  settings: { imports: ['api'] },
  causes: { imports: ['api'] },
  journey: { imports: ['api', 'settings'] },
  scheduling: { imports: ['api'] },
  disruption: { imports: ['api', 'scheduling'] },
  arm: { imports: ['settings'] },
  bootstrap: { imports: ['api', 'settings', 'causes'] },
  cloud: { imports: ['api', 'scheduling', 'settings', 'bootstrap', 'causes', 'journey', 'arm'] },
  'cloud/azure': {
    imports: ['cloud', 'api', 'scheduling', 'settings', 'bootstrap', 'causes', 'journey', 'arm'],
    entries: {
      'options/index.ts': 'options without what reads them: help and completion load no SDK',
      'diagnosis.ts': 'what `why` needs: an answer from a dump loads nothing that launches VMs',
      'permissions/index.ts': 'what the controller may do, as data: nothing that calls Azure is loaded',
      'sizes/index.ts': 'names of VM sizes, for checks of files: nothing that calls Azure is loaded',
      'images/family.ts':
        'which image a node class means, for checks of files: nothing that calls Azure is loaded',
    },
  },
  'cloud/aws': {
    imports: ['cloud', 'api', 'scheduling', 'settings', 'bootstrap', 'causes', 'journey'],
    entries: {
      'options/index.ts': 'options without what reads them: help and completion load no SDK',
      'catalogue.ts': 'instance types for plans without an account: nothing that calls AWS is loaded',
      'diagnosis.ts': 'what `why` needs: an answer from a dump loads nothing that launches instances',
      'account.ts':
        'what `check` and `configure` call in an account: nothing that launches instances is loaded',
      'node-class/kubelet-validation.ts':
        'what a kubelet map may hold, for checks of files: nothing that calls AWS is loaded',
      'node-class/user-data-check.ts':
        'whether nodes can start with user data, for checks of files: nothing that calls AWS is loaded',
      'offline.ts': 'instance types for checks of files, at once: nothing that calls AWS is loaded',
    },
  },
  // A module of one file, which is its own entry point: it names every cloud and loads the one that is asked for.
  'cloud/registry.ts': { imports: ['api', 'cloud', 'cloud/azure', 'cloud/aws'] },
  chart: { imports: ['settings'] },
  state: { imports: ['api', 'scheduling'] },
  diagnose: { imports: SHARED },
  controllers: { imports: [...SHARED, 'diagnose'] },
  operator: {
    imports: [...SHARED, 'diagnose', 'controllers'],
    entries: {
      'installed-kinds.ts': 'which CRDs are installed, for verbs: no controller is loaded',
      'own-hashes.ts': 'how NodePools are hashed, for verbs: no controller is loaded',
    },
  },
  readiness: {
    imports: ['api', 'settings', 'causes', 'scheduling', ...CLOUDS, 'diagnose', 'arm'],
    entries: { 'checks-of-causes.table.ts': 'checks by cause, for `why`: no reader and no check is loaded' },
  },
  configure: {
    imports: ['settings', 'arm', ...CLOUDS],
    entries: {
      'aks/index.ts': 'what an AKS cluster needs: other clouds do not load it',
      'eks/index.ts': 'what an EKS cluster needs: other clouds do not load it',
    },
  },
  dashboard: {
    imports: ['api', 'scheduling', 'disruption', ...CLOUDS, 'state', 'diagnose'],
    entries: {
      'page-bundle.ts': 'how the app is bundled, for the build: no server is loaded',
      'page-assets.ts': 'the files of the app, for tests and benchmarks of the page: no server is loaded',
      'wire.ts': 'the JSON as types, for tests and benchmarks of the page',
    },
  },
  flexnode: {
    imports: ['api', 'settings', 'causes', 'arm'],
    entries: { 'azure/exec-credential.ts': 'the kubelet waits for it: it loads Node.js alone' },
  },
  playground: {
    imports: ['api', 'settings', 'operator', ...CLOUDS],
    entries: {
      'controller.ts': 'the controller of the playground: it loads the operator and the SDKs',
      'scenarios/index.ts': 'the list of scenarios, without the servers that play them',
      'offline-catalogue.ts': 'sizes as data, for verbs that read no cloud: nothing else is loaded',
      'offline-validation.ts':
        'the rules of the API server, for verbs that read manifests: nothing else is loaded',
    },
  },
  cli: {
    imports: [
      ...SHARED,
      'chart',
      'diagnose',
      'controllers',
      'operator',
      'readiness',
      'configure',
      'dashboard',
      'flexnode',
      'playground',
    ],
  },
};

/** Files that may touch what the rest must take from the World. Everything else in `packages/` may not. */
export const OWNERS: Readonly<Record<string, readonly string[]>> = {
  'packages/kube/src/system-world.ts': ['clock', 'chance', 'timers', 'network'],
  // Zones of the IANA database, with a fixed locale: nothing of the machine.
  'packages/kube/src/values/time-zone.ts': ['locale'],
  'packages/chandler/src/cli/main.ts': ['environment', 'output', 'timers'],
  // The app runs in a browser, where there is no World.
  'packages/chandler/src/dashboard/web/browser.ts': ['clock', 'timers', 'network', 'locale'],
  // The same for the executable that machines without Node.js get.
  'packages/chandler/src/cli/flexnode-main.ts': ['environment', 'timers'],
};
