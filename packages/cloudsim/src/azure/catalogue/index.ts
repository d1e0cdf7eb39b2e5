/**
 * The offering of Azure as one provider of the ARM server: sizes, quota, prices, images, and what is out of stock. It
 * implements the services that the compute provider uses, and serves the lists.
 */
import type { ArmAnswer, ArmRequest, ArmRoute } from '../wire/arm-request.ts';
import { ok } from '../wire/arm-request.ts';
import type { ArmContext, Provider } from '../wire/context.ts';
import { armError, invalidParameter, noRegisteredProvider } from '../wire/errors.ts';
import { ImageGallery } from './image-gallery.ts';
import { AzureQuota, type QuotaLimits } from './quota.ts';
import { FilterError, RETAIL_PRICES_PATH, RetailPrices } from './retail-prices.ts';
import { AzureSizes, type SizeCatalogueOptions } from './size-catalogue.ts';
import { regionKey } from './size-family.ts';
import { locationOfFilter } from './sku-list.ts';
import { type StockOut, stockOutFaults } from './stock-outs.ts';

export interface CatalogueOptions extends SizeCatalogueOptions {
  readonly quota?: QuotaLimits;
  readonly stockOuts?: readonly StockOut[];
}

export interface Catalogue {
  readonly sizes: AzureSizes;
  readonly quota: AzureQuota;
  readonly prices: RetailPrices;
  readonly images: ImageGallery;
  /** Added to the server's faults when it starts. */
  readonly stockOuts: readonly StockOut[];
}

export function createCatalogue(options: CatalogueOptions = {}): Catalogue {
  const sizes = new AzureSizes(options);
  return {
    sizes,
    quota: new AzureQuota(
      sizes.all.map((size) => size.family.quotaFamily),
      options.quota,
    ),
    prices: new RetailPrices(sizes.all),
    images: new ImageGallery(),
    stockOuts: options.stockOuts ?? [],
  };
}

export function catalogueProvider(catalogue: Catalogue): Provider {
  return (context) => {
    context.services.sizes = catalogue.sizes;
    context.services.quota = catalogue.quota;
    context.services.images = catalogue.images;
    for (const fault of catalogue.stockOuts.flatMap(stockOutFaults)) context.faults.add(fault);
    return catalogueRoutes(catalogue, context);
  };
}

// ---------------------------------------------------------------------------------------------------

const SUBSCRIPTION = '/subscriptions/{sub}';
const SKU_VERSIONS = ['2017-09-01', '2019-04-01', '2021-07-01'];
const COMPUTE_VERSIONS = ['2022-08-01', '2024-07-01', '2024-11-01', '2025-04-01', '2025-11-01', '2026-04-01'];
const GALLERY_VERSIONS = ['2022-03-03', '2024-03-03', '2025-03-03', '2025-12-03'];
const AKS_VERSIONS = ['2025-10-02-preview', '2026-01-02-preview', '2026-04-02-preview', '2026-05-02-preview'];

function catalogueRoutes(catalogue: Catalogue, context: ArmContext): readonly ArmRoute[] {
  const inSubscription = (request: ArmRequest) => context.store.requireSubscription(request.params['sub']!);
  return [
    {
      method: 'GET',
      pattern: `${SUBSCRIPTION}/providers/Microsoft.Compute/skus`,
      apiVersions: SKU_VERSIONS,
      handle(request) {
        inSubscription(request);
        return ok({ value: catalogue.sizes.skus(locationOfFilter(request.query.get('$filter'))) });
      },
    },
    {
      method: 'GET',
      pattern: `${SUBSCRIPTION}/providers/Microsoft.Compute/locations/{location}/usages`,
      apiVersions: COMPUTE_VERSIONS,
      handle(request) {
        inSubscription(request);
        const usages = catalogue.quota.usages(request.params['location']!);
        if (usages === undefined) throw unknownLocation(request, 'locations/usages', COMPUTE_VERSIONS);
        return ok({ value: usages });
      },
    },
    {
      method: 'GET',
      pattern: `${SUBSCRIPTION}/providers/Microsoft.Compute/locations/{location}/communityGalleries/{gallery}/images/{image}/versions`,
      apiVersions: GALLERY_VERSIONS,
      handle(request) {
        inSubscription(request);
        return communityVersions(catalogue.images, request);
      },
    },
    {
      method: 'GET',
      pattern: `${SUBSCRIPTION}/providers/Microsoft.ContainerService/locations/{location}/nodeImageVersions`,
      apiVersions: AKS_VERSIONS,
      handle(request) {
        inSubscription(request);
        return ok({ value: catalogue.images.nodeImageVersions() });
      },
    },
    {
      method: 'GET',
      pattern: RETAIL_PRICES_PATH,
      apiVersions: [],
      access: 'open',
      handle: (request) => retailPrices(catalogue.prices, request),
    },
  ];
}

function unknownLocation(request: ArmRequest, type: string, versions: readonly string[]) {
  return noRegisteredProvider(type, request.apiVersion, request.params['location']!, versions);
}

function communityVersions(images: ImageGallery, request: ArmRequest): ArmAnswer {
  const { gallery, image, location } = request.params as Record<'gallery' | 'image' | 'location', string>;
  if (!images.isCommunityGallery(gallery))
    throw armError(404, 'CommunityGalleryNotFound', `The community gallery '${gallery}' could not be found.`);
  const versions = images.communityVersions(gallery, image);
  if (versions === undefined)
    throw armError(
      404,
      'GalleryImageNotFound',
      `The gallery image '${image}' could not be found in '${gallery}'.`,
    );
  return ok({
    value: versions.map(({ version, publishedDate }) => ({
      name: version,
      location: regionKey(location),
      type: 'Microsoft.Compute/locations/communityGalleries/images/versions',
      identifier: { uniqueId: `/CommunityGalleries/${gallery}/Images/${image}/Versions/${version}` },
      properties: {
        publishedDate,
        excludeFromLatest: false,
        storageProfile: { osDiskImage: { diskSizeGB: 30 } },
      },
    })),
  });
}

function retailPrices(prices: RetailPrices, request: ArmRequest): ArmAnswer {
  const filter = request.query.get('$filter');
  const currencyCode = request.query.get('currencycode')?.replaceAll("'", '');
  const skip = request.query.get('$skip');
  const apiVersion = request.query.get('api-version');
  if (skip !== undefined && !/^\d{1,9}$/.test(skip))
    throw invalidParameter('$skip', `'${skip}' is not a number.`);
  try {
    const page = prices.page({
      url: `${request.baseUrl}${RETAIL_PRICES_PATH}`,
      ...(filter === undefined ? {} : { filter }),
      ...(currencyCode === undefined ? {} : { currencyCode }),
      ...(skip === undefined ? {} : { skip: Number(skip) }),
      ...(apiVersion === undefined ? {} : { apiVersion }),
    });
    return ok(page);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    return {
      status: 400,
      body: { Error: { Code: 'BadRequest', Message: `Invalid OData parameters supplied: ${error.message}` } },
    };
  }
}
