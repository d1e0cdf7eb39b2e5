/** The pull policy of an image that states none, for containers and image volumes. */

/** `nginx` and `nginx:latest` may change under the same name, so they are pulled each time. */
export function pullPolicyOf(image: string | undefined): string {
  if (image === undefined || image === '' || image.includes('@')) return 'IfNotPresent';
  const base = image.slice(image.lastIndexOf('/') + 1);
  const colon = base.indexOf(':');
  if (!IMAGE.test(image)) return 'IfNotPresent';
  return colon < 0 || base.slice(colon + 1) === 'latest' ? 'Always' : 'IfNotPresent';
}

// ---------------------------------------------------------------------------------------------------

/** A name that can be pulled; for any other the tag is unknown. */
const PATH = '[a-z0-9]+(?:(?:\\.|__?|-+)[a-z0-9]+)*';
const IMAGE = new RegExp(
  `^(?:[a-zA-Z0-9][a-zA-Z0-9.-]*(?::\\d+)?/)?${PATH}(?:/${PATH})*(?::\\w[\\w.-]{0,127})?$`,
);
