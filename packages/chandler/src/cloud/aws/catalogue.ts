/** The built-in catalogue of AWS: for verbs that read no account. The tables are loaded with the first plan. */
import {
  AWS_LABEL_RULES,
  AWS_WELL_KNOWN_LABELS,
  AwsLabel,
  type EC2NodeClass,
  KubernetesLabel,
} from '../../api/index.ts';
import type { OfflineCatalogue } from '../index.ts';

import { PRICES_AS_OF } from './prices/prices-as-of.ts';

const HOME_REGION = 'us-east-1';

export const awsCatalogue: OfflineCatalogue = {
  homeRegion: HOME_REGION,
  pricesAsOf: PRICES_AS_OF,
  wellKnownLabels: [...AWS_WELL_KNOWN_LABELS].sort(),
  reservationLabel: AwsLabel.capacityReservationId,
  labelRules: AWS_LABEL_RULES,
  sizeLabels: [
    KubernetesLabel.instanceType,
    AwsLabel.category,
    AwsLabel.family,
    AwsLabel.generation,
    AwsLabel.size,
    AwsLabel.gpuName,
    AwsLabel.acceleratorName,
  ],
  regionVariables: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
  regionInVariable: {
    name: 'CLUSTER_ENDPOINT',
    // `https://ABCD.gr7.eu-west-1.eks.amazonaws.com`
    regionOf: (endpoint) => /\.([a-z]{2,4}(?:-[a-z]+)+-\d)\.eks\.amazonaws\./.exec(endpoint)?.[1],
  },
  // `us-east-1a`, `us-gov-west-1b`; not local zones such as `us-west-2-lax-1a`
  regionOfZone: (zone) => /^([a-z]{2,4}(?:-[a-z]+)+-\d)[a-z]$/.exec(zone)?.[1],
  zonesOfClass: (nodeClass) => {
    const { subnets, capacityReservations } = (nodeClass as EC2NodeClass).status ?? {};
    return [
      ...(subnets ?? []).map(({ zone }) => zone),
      ...(capacityReservations ?? []).map(({ availabilityZone }) => availabilityZone),
    ];
  },
  priceNotes: (region) => [
    'Spot prices are estimated at 35 % of the price on demand.',
    ...(REGIONS_WITH_PRICES.has(region)
      ? []
      : [`Prices of ${region} are not known; those of ${HOME_REGION} are used.`]),
  ],
  provider: async (request) => {
    const { offlineCatalogueProvider } = await import('./offline.ts');
    return offlineCatalogueProvider(request);
  },
};

// ---------------------------------------------------------------------------------------------------------------

/** Those of the built-in table, named here so that the table is not loaded for a note. */
const REGIONS_WITH_PRICES: ReadonlySet<string> = new Set([
  'us-east-1',
  'us-gov-east-1',
  'us-gov-west-1',
  'cn-north-1',
]);
