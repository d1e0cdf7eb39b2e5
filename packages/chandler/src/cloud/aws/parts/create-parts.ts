/** From options and wires to the parts of AWS, in the one way that command line, playground and suites share. */
import { type PartsRequest, StartError, withCloudFence, withoutCloudWrites } from '../../index.ts';
import { toAwsError } from '../errors/index.ts';
import type { AwsControllerValues } from '../options/index.ts';
import { awsWriteOf } from '../wire/index.ts';
import { type AwsAccess, awsAccess } from './access.ts';
import { type AwsParts, awsParts } from './parts.ts';

/** Nobody is asked, except the metadata service where no option names the region. @throws {StartError} */
export async function createAwsParts(request: PartsRequest): Promise<AwsParts> {
  const { world, client, observe, fence, wires } = request;
  const values = () => request.values() as unknown as AwsControllerValues;
  const leading = fence === undefined ? wires.fetch : withCloudFence(wires.fetch, awsWriteOf, fence);
  const send = observe ? withoutCloudWrites(wires.fetch, awsWriteOf, world.metrics, 'aws') : leading;
  const { readFile, version, clusterCaPem } = wires;
  const access = awsAccess({ world, values: values(), fetch: send, readFile, version });
  const region = await regionOf(access);
  return awsParts({ world, access, region, values, client, clusterCaPem, observe });
}

// ---------------------------------------------------------------------------------------------------

async function regionOf({ region }: AwsAccess): Promise<string> {
  try {
    return (await region.get(new AbortController().signal)).value;
  } catch (error) {
    throw new StartError('BadOption', toAwsError(error).message, { cause: error });
  }
}
