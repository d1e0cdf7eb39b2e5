/** Everything that Chandler creates in Azure names its claim, so that a late write does no harm. */
import type { Check, MakeCheck } from '../../checks/check.ts';

export const partsNameTheirClaim: MakeCheck = (view): Check => ({
  name: 'conditional writes',
  onArrival({ server, process, method, path, body }) {
    const made =
      server === 'cloud' && method === 'PUT' && /\/(?:virtualMachines|networkInterfaces)\/[^/]+$/i.test(path);
    if (made && body?.tags?.['chandler.sh_claim-uid'] === undefined)
      view.violated(
        this.name,
        `${method} ${path} of ${process} has no claim: ${JSON.stringify(body)?.slice(0, 200)}`,
      );
    return undefined;
  },
});
