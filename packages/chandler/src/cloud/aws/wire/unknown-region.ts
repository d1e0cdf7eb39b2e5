/** The words for a region that is not known. */

const BEGIN = 'the region is not known: ';
const ADVICE =
  '; set AWS_REGION (--aws-region), since a pod reaches the metadata service only with a hop limit of 2 or the network of its host';

/** For a controller. @param lookups what was looked at in vain. */
export function unknownRegionText(lookups: string): string {
  return `${BEGIN}${lookups}${ADVICE}`;
}

/** What was looked at in vain, of such a text. */
export function regionLookups(text: string): string {
  return text.replace(BEGIN, '').replace(ADVICE, '');
}
