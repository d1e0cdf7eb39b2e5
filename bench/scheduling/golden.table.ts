/** SHA-256 over the lines of Karpenter's diverse pods at seed 42, and their sums: what every port must reproduce. */
export const GOLDEN_DIVERSE: readonly {
  readonly pods: number;
  readonly sha256: string;
  readonly cpuMilli: number;
  readonly memoryMi: number;
}[] = [
  {
    pods: 1,
    sha256: '482d5ecfc14b1cf7ef3bd5922cb97117340d6d084975f8cfcd2c5b77c5bf023c',
    cpuMilli: 500,
    memoryMi: 512,
  },
  {
    pods: 50,
    sha256: '51cdbd402e52a113e2a9689567fcfeb59c70cb544a70be5519bdcc12039db392',
    cpuMilli: 39_300,
    memoryMi: 63_888,
  },
  {
    pods: 100,
    sha256: '228f8dc1a023bb30d58e5a5ab8f42c0d5f544b17049cdc23b9accfb0185ec46a',
    cpuMilli: 70_650,
    memoryMi: 137_892,
  },
  {
    pods: 500,
    sha256: '99779dd0ad5a032ee5357d91737401bc36ff7cb0c988510f291ffdb5bb83497d',
    cpuMilli: 324_400,
    memoryMi: 676_592,
  },
  {
    pods: 1_000,
    sha256: '73738e7aae9dfae36fb5f51432fb62a81c9350b1b25b36917ae3bba77479eb3b',
    cpuMilli: 663_350,
    memoryMi: 1_341_084,
  },
  {
    pods: 1_500,
    sha256: '773b6bf26df450edd678d6083108d44b82093900c34e8dc9f3ad115857a39c50',
    cpuMilli: 1_015_400,
    memoryMi: 2_071_108,
  },
  {
    pods: 2_000,
    sha256: '2240f097defd39c4366ee26a63c66976f993c541d5d3018c45bd517fca0f28be',
    cpuMilli: 1_319_500,
    memoryMi: 2_769_052,
  },
  {
    pods: 5_000,
    sha256: '842bbaa1e7043e1f6d04c9d7d6eac9dc96adfbf0dd69ead20f7ee4caf9f19d3e',
    cpuMilli: 3_309_000,
    memoryMi: 6_708_012,
  },
  {
    pods: 10_000,
    sha256: 'e2d1ba4262438d75a57790f00a3ef1731cca0eaf13dea6e234cb6c37f7cee82a',
    cpuMilli: 6_628_950,
    memoryMi: 13_375_332,
  },
  {
    pods: 20_000,
    sha256: '0103636f46ba8b9c9cd9c3f10180e8481f6a9b02b203673cf7dc750ed8ee8d61',
    cpuMilli: 13_399_850,
    memoryMi: 26_928_028,
  },
];
