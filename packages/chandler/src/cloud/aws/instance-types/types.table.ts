/**
 * Instance types, and the zones that sell them: what `chandler simulate` plans with when it reads no account. One line per
 * type (`offline-types.ts` reads it); per region the letters of its zones and, type by type, which of them sell it, as one
 * digit of base 64 whose bits are the zones; `~n~` stands for n times the digit before it. 1386 types,
 * 30 regions. Types for macOS, and regions of other partitions, are left out.
 * Source: moto 5.2.5 (DescribeInstanceTypes and DescribeInstanceTypeOfferings), of 2026-10-27. Written by
 * scripts/aws-tables.ts.
 */
export const TYPES = `
a1.2xlarge|a|8|16384|2.3|w|n|os|3500|4|15|cr
a1.4xlarge|a|16|32768|2.3|w|n|os|3500|8|30|cr
a1.large|a|2|4096|2.3|w|n|os|3500|3|10|cr
a1.medium|a|1|2048|2.3|w|n|os|3500|2|4|cr
a1.metal|a|16|32768|2.3|w|m|os|3500|8|30|cr
a1.xlarge|a|4|8192|2.3|w|n|os|3500|4|15|cr
c1.medium|i|2|1740||i|x|os|u|2|6|||350
c1.xlarge|x|8|7168||i|x|os|s1000|4|15|||1680
c3.2xlarge|x|8|15360|2.8|i|x|os|s1000|4|15|c||160
c3.4xlarge|x|16|30720|2.8|i|x|os|s2000|8|30|c||320
c3.8xlarge|x|32|61440|2.8|i|x|os|u|8|30|c||640
c3.large|i|2|3840|2.8|i|x|os|u|3|10|c||32
c3.xlarge|x|4|7680|2.8|i|x|os|s500|4|15|c||80
c4.2xlarge|x|8|15360|2.9|i|x|os|1000|4|15|c
c4.4xlarge|x|16|30720|2.9|i|x|os|2000|8|30|c
c4.8xlarge|x|36|61440|2.9|i|x|os|4000|8|30|c
c4.large|x|2|3840|2.9|i|x|os|500|3|10|c
c4.xlarge|x|4|7680|2.9|i|x|os|750|4|15|c
c5.12xlarge|x|48|98304|3.6|i|n|os|9500|8|30|ncr
c5.18xlarge|x|72|147456|3.4|i|n|os|19000|15|50|ncr
c5.24xlarge|x|96|196608|3.6|i|n|os|19000|15|50|ncr
c5.2xlarge|x|8|16384|3.4|i|n|os|4750|4|15|ncr
c5.4xlarge|x|16|32768|3.4|i|n|os|4750|8|30|ncr
c5.9xlarge|x|36|73728|3.4|i|n|os|9500|8|30|ncr
c5.large|x|2|4096|3.4|i|n|os|4750|3|10|cr
c5.metal|x|96|196608|3.6|i|m|os|19000|15|50|cr
c5.xlarge|x|4|8192|3.4|i|n|os|4750|4|15|ncr
c5a.12xlarge|x|48|98304|3.3|a|n|os|4750|8|30|encr
c5a.16xlarge|x|64|131072|3.3|a|n|os|6300|15|50|encr
c5a.24xlarge|x|96|196608|3.3|a|n|os|9500|15|50|encr
c5a.2xlarge|x|8|16384|3.3|a|n|os|3170|4|15|encr
c5a.4xlarge|x|16|32768|3.3|a|n|os|3170|8|30|encr
c5a.8xlarge|x|32|65536|3.3|a|n|os|3170|8|30|encr
c5a.large|x|2|4096|3.3|a|n|os|3170|3|10|ecr
c5a.xlarge|x|4|8192|3.3|a|n|os|3170|4|15|encr
c5ad.12xlarge|x|48|98304|3.3|a|n|os|4750|8|30|encr||1800n
c5ad.16xlarge|x|64|131072|3.3|a|n|os|6300|15|50|encr||2400n
c5ad.24xlarge|x|96|196608|3.3|a|n|os|9500|15|50|encr||3800n
c5ad.2xlarge|x|8|16384|3.3|a|n|os|3170|4|15|encr||300n
c5ad.4xlarge|x|16|32768|3.3|a|n|os|3170|8|30|encr||600n
c5ad.8xlarge|x|32|65536|3.3|a|n|os|3170|8|30|encr||1200n
c5ad.large|x|2|4096|3.3|a|n|os|3170|3|10|ecr||75n
c5ad.xlarge|x|4|8192|3.3|a|n|os|3170|4|15|encr||150n
c5d.12xlarge|x|48|98304|3.6|i|n|os|9500|8|30|ncr||1800n
c5d.18xlarge|x|72|147456|3.4|i|n|os|19000|15|50|ncr||1800n
c5d.24xlarge|x|96|196608|3.6|i|n|os|19000|15|50|ncr||3600n
c5d.2xlarge|x|8|16384|3.4|i|n|os|4750|4|15|ncr||200n
c5d.4xlarge|x|16|32768|3.4|i|n|os|4750|8|30|ncr||400n
c5d.9xlarge|x|36|73728|3.4|i|n|os|9500|8|30|ncr||900n
c5d.large|x|2|4096|3.4|i|n|os|4750|3|10|cr||50n
c5d.metal|x|96|196608|3.6|i|m|os|19000|15|50|cr||3600n
c5d.xlarge|x|4|8192|3.4|i|n|os|4750|4|15|ncr||100n
c5n.18xlarge|x|72|196608|3.4|i|n|os|19000|15|50|encr|1
c5n.2xlarge|x|8|21504|3.4|i|n|os|4750|4|15|encr
c5n.4xlarge|x|16|43008|3.4|i|n|os|4750|8|30|encr
c5n.9xlarge|x|36|98304|3.4|i|n|os|9500|8|30|encr|1
c5n.large|x|2|5376|3.4|i|n|os|4750|3|10|ecr
c5n.metal|x|72|196608|3.4|i|m|os|19000|15|50|ecr|1
c5n.xlarge|x|4|10752|3.4|i|n|os|4750|4|15|encr
c6a.12xlarge|x|48|98304|3.6|a|n|os|15000|8|30|encr
c6a.16xlarge|x|64|131072|3.6|a|n|os|20000|15|50|encr
c6a.24xlarge|x|96|196608|3.6|a|n|os|30000|15|50|encr
c6a.2xlarge|x|8|16384|3.6|a|n|os|10000|4|15|encr
c6a.32xlarge|x|128|262144|3.6|a|n|os|40000|15|50|encr
c6a.48xlarge|x|192|393216|3.6|a|n|os|40000|15|50|encr|1
c6a.4xlarge|x|16|32768|3.6|a|n|os|10000|8|30|encr
c6a.8xlarge|x|32|65536|3.6|a|n|os|10000|8|30|encr
c6a.large|x|2|4096|3.6|a|n|os|10000|3|10|ecr
c6a.metal|x|192|393216|3.6|a|m|os|40000|15|50|ecr|1
c6a.xlarge|x|4|8192|3.6|a|n|os|10000|4|15|encr
c6g.12xlarge|a|48|98304|2.5|w|n|os|14250|8|30|ncr
c6g.16xlarge|a|64|131072|2.5|w|n|os|19000|15|50|ncr
c6g.2xlarge|a|8|16384|2.5|w|n|os|4750|4|15|ncr
c6g.4xlarge|a|16|32768|2.5|w|n|os|4750|8|30|ncr
c6g.8xlarge|a|32|65536|2.5|w|n|os|9500|8|30|ncr
c6g.large|a|2|4096|2.5|w|n|os|4750|3|10|ncr
c6g.medium|a|1|2048|2.5|w|n|os|4750|2|4|cr
c6g.metal|a|64|131072|2.5|w|m|os|19000|15|50|cr
c6g.xlarge|a|4|8192|2.5|w|n|os|4750|4|15|ncr
c6gd.12xlarge|a|48|98304|2.5|w|n|os|14250|8|30|ncr||2850n
c6gd.16xlarge|a|64|131072|2.5|w|n|os|19000|15|50|ncr||3800n
c6gd.2xlarge|a|8|16384|2.5|w|n|os|4750|4|15|ncr||474n
c6gd.4xlarge|a|16|32768|2.5|w|n|os|4750|8|30|ncr||950n
c6gd.8xlarge|a|32|65536|2.5|w|n|os|9500|8|30|ncr||1900n
c6gd.large|a|2|4096|2.5|w|n|os|4750|3|10|ncr||118n
c6gd.medium|a|1|2048|2.5|w|n|os|4750|2|4|cr||59n
c6gd.metal|a|64|131072|2.5|w|m|os|19000|15|50|cr||3800n
c6gd.xlarge|a|4|8192|2.5|w|n|os|4750|4|15|ncr||237n
c6gn.12xlarge|a|48|98304|2.5|w|n|os|28500|8|30|encr
c6gn.16xlarge|a|64|131072|2.5|w|n|os|38000|15|50|encr|1
c6gn.2xlarge|a|8|16384|2.5|w|n|os|9500|4|15|encr
c6gn.4xlarge|a|16|32768|2.5|w|n|os|9500|8|30|encr
c6gn.8xlarge|a|32|65536|2.5|w|n|os|19000|8|30|encr
c6gn.large|a|2|4096|2.5|w|n|os|9500|3|10|encr
c6gn.medium|a|1|2048|2.5|w|n|os|9500|2|4|ecr
c6gn.xlarge|a|4|8192|2.5|w|n|os|9500|4|15|encr
c6i.12xlarge|x|48|98304|3.5|i|n|os|15000|8|30|encr
c6i.16xlarge|x|64|131072|3.5|i|n|os|20000|15|50|encr
c6i.24xlarge|x|96|196608|3.5|i|n|os|30000|15|50|encr
c6i.2xlarge|x|8|16384|3.5|i|n|os|10000|4|15|encr
c6i.32xlarge|x|128|262144|3.5|i|n|os|40000|15|50|encr|1
c6i.4xlarge|x|16|32768|3.5|i|n|os|10000|8|30|encr
c6i.8xlarge|x|32|65536|3.5|i|n|os|10000|8|30|encr
c6i.large|x|2|4096|3.5|i|n|os|10000|3|10|ecr
c6i.metal|x|128|262144|3.5|i|m|os|40000|15|50|ecr|1
c6i.xlarge|x|4|8192|3.5|i|n|os|10000|4|15|encr
c6id.12xlarge|x|48|98304|3.5|i|n|os|15000|8|30|encr||2850n
c6id.16xlarge|x|64|131072|3.5|i|n|os|20000|15|50|encr||3800n
c6id.24xlarge|x|96|196608|3.5|i|n|os|30000|15|50|encr||5700n
c6id.2xlarge|x|8|16384|3.5|i|n|os|10000|4|15|encr||474n
c6id.32xlarge|x|128|262144|3.5|i|n|os|40000|15|50|encr|1|7600n
c6id.4xlarge|x|16|32768|3.5|i|n|os|10000|8|30|encr||950n
c6id.8xlarge|x|32|65536|3.5|i|n|os|10000|8|30|encr||1900n
c6id.large|x|2|4096|3.5|i|n|os|10000|3|10|ecr||118n
c6id.metal|x|128|262144|3.5|i|m|os|40000|15|50|ecr|1|7600n
c6id.xlarge|x|4|8192|3.5|i|n|os|10000|4|15|encr||237n
c6in.12xlarge|x|48|98304|3.5|i|n|os|37500|8|30|encr
c6in.16xlarge|x|64|131072|3.5|i|n|os|50000|15|50|encr
c6in.24xlarge|x|96|196608|3.5|i|n|os|75000|15|50|encr
c6in.2xlarge|x|8|16384|3.5|i|n|os|25000|4|15|encr
c6in.32xlarge|x|128|262144|3.5|i|n|os|100000|8+8|50|encr|2
c6in.4xlarge|x|16|32768|3.5|i|n|os|25000|8|30|encr
c6in.8xlarge|x|32|65536|3.5|i|n|os|25000|8|30|encr
c6in.large|x|2|4096|3.5|i|n|os|25000|3|10|ecr
c6in.metal|x|128|262144|3.5|i|m|os|100000|8+8|50|ecr|2
c6in.xlarge|x|4|8192|3.5|i|n|os|25000|4|15|encr
c7a.12xlarge|x|48|98304|3.7|a|n|os|15000|8|30|encr
c7a.16xlarge|x|64|131072|3.7|a|n|os|20000|15|50|encr
c7a.24xlarge|x|96|196608|3.7|a|n|os|30000|15|50|encr
c7a.2xlarge|x|8|16384|3.7|a|n|os|10000|4|15|encr
c7a.32xlarge|x|128|262144|3.7|a|n|os|40000|15|50|encr
c7a.48xlarge|x|192|393216|3.7|a|n|os|40000|15|50|encr|1
c7a.4xlarge|x|16|32768|3.7|a|n|os|10000|8|30|encr
c7a.8xlarge|x|32|65536|3.7|a|n|os|10000|8|30|encr
c7a.large|x|2|4096|3.7|a|n|os|10000|3|10|ecr
c7a.medium|x|1|2048|3.7|a|n|os|10000|2|4|ecr
c7a.metal-48xl|x|192|393216|3.7|a|m|os|40000|15|50|ecr|1
c7a.xlarge|x|4|8192|3.7|a|n|os|10000|4|15|encr
c7g.12xlarge|a|48|98304|2.6|w|n|os|15000|8|30|encr
c7g.16xlarge|a|64|131072|2.6|w|n|os|20000|15|50|encr|1
c7g.2xlarge|a|8|16384|2.6|w|n|os|10000|4|15|encr
c7g.4xlarge|a|16|32768|2.6|w|n|os|10000|8|30|encr
c7g.8xlarge|a|32|65536|2.6|w|n|os|10000|8|30|encr
c7g.large|a|2|4096|2.6|w|n|os|10000|3|10|encr
c7g.medium|a|1|2048|2.6|w|n|os|10000|2|4|ecr
c7g.metal|a|64|131072|2.6|w|m|os|20000|15|50|ecr|1
c7g.xlarge|a|4|8192|2.6|w|n|os|10000|4|15|encr
c7gd.12xlarge|a|48|98304|2.6|w|n|os|15000|8|30|encr||2850n
c7gd.16xlarge|a|64|131072|2.6|w|n|os|20000|15|50|encr|1|3800n
c7gd.2xlarge|a|8|16384|2.6|w|n|os|10000|4|15|encr||474n
c7gd.4xlarge|a|16|32768|2.6|w|n|os|10000|8|30|encr||950n
c7gd.8xlarge|a|32|65536|2.6|w|n|os|10000|8|30|encr||1900n
c7gd.large|a|2|4096|2.6|w|n|os|10000|3|10|encr||118n
c7gd.medium|a|1|2048|2.6|w|n|os|10000|2|4|ecr||59n
c7gd.metal|a|64|131072|2.6|w|m|os|20000|15|50|ecr|1|3800n
c7gd.xlarge|a|4|8192|2.6|w|n|os|10000|4|15|encr||237n
c7gn.12xlarge|a|48|98304|2.6|w|n|os|30000|8|30|ecr
c7gn.16xlarge|a|64|131072|2.6|w|n|os|40000|15|50|ecr|1
c7gn.2xlarge|a|8|16384|2.6|w|n|os|10000|4|15|ecr
c7gn.4xlarge|a|16|32768|2.6|w|n|os|10000|8|30|ecr
c7gn.8xlarge|a|32|65536|2.6|w|n|os|20000|8|30|ecr
c7gn.large|a|2|4096|2.6|w|n|os|10000|3|10|ecr
c7gn.medium|a|1|2048|2.6|w|n|os|10000|2|4|ecr
c7gn.metal|a|64|131072|2.6|w|m|os|40000|15|50|ecr|1
c7gn.xlarge|a|4|8192|2.6|w|n|os|10000|4|15|ecr
c7i-flex.12xlarge|x|48|98304|3.2|i|n|os|15000|8|30|evr
c7i-flex.16xlarge|x|64|131072|3.2|i|n|os|20000|15|50|evr
c7i-flex.2xlarge|x|8|16384|3.2|i|n|os|10000|4|15|evr
c7i-flex.4xlarge|x|16|32768|3.2|i|n|os|10000|8|30|evr
c7i-flex.8xlarge|x|32|65536|3.2|i|n|os|10000|8|30|evr
c7i-flex.large|x|2|4096|3.2|i|n|os|10000|3|10|evr
c7i-flex.xlarge|x|4|8192|3.2|i|n|os|10000|4|15|evr
c7i.12xlarge|x|48|98304|3.2|i|n|os|15000|8|30|evncr
c7i.16xlarge|x|64|131072|3.2|i|n|os|20000|15|50|evncr
c7i.24xlarge|x|96|196608|3.2|i|n|os|30000|15|50|evncr
c7i.2xlarge|x|8|16384|3.2|i|n|os|10000|4|15|evncr
c7i.48xlarge|x|192|393216|3.2|i|n|os|40000|15|50|evncr|1
c7i.4xlarge|x|16|32768|3.2|i|n|os|10000|8|30|evncr
c7i.8xlarge|x|32|65536|3.2|i|n|os|10000|8|30|evncr
c7i.large|x|2|4096|3.2|i|n|os|10000|3|10|evcr
c7i.metal-24xl|x|96|196608|3.2|i|m|os|30000|15|50|ecr
c7i.metal-48xl|x|192|393216|3.2|i|m|os|40000|15|50|ecr|1
c7i.xlarge|x|4|8192|3.2|i|n|os|10000|4|15|evncr
c8a.12xlarge|x|48|98304|4.5|a|n|os|15000|12|64|encr
c8a.16xlarge|x|64|131072|4.5|a|n|os|20000|16|64|encr
c8a.24xlarge|x|96|196608|4.5|a|n|os|30000|16|64|encr
c8a.2xlarge|x|8|16384|4.5|a|n|os|10000|4|40|encr
c8a.48xlarge|x|192|393216|4.5|a|n|os|60000|24|64|encr|1
c8a.4xlarge|x|16|32768|4.5|a|n|os|10000|8|40|encr
c8a.8xlarge|x|32|65536|4.5|a|n|os|10000|10|40|encr
c8a.large|x|2|4096|4.5|a|n|os|10000|3|20|encr
c8a.medium|x|1|2048|4.5|a|n|os|10000|2|4|ecr
c8a.metal-24xl|x|96|196608|4.5|a|m|os|30000|16|64|ecr
c8a.metal-48xl|x|192|393216|4.5|a|m|os|60000|24|64|ecr|1
c8a.xlarge|x|4|8192|4.5|a|n|os|10000|4|20|encr
c8g.12xlarge|a|48|98304|2.8|w|n|os|15000|8|30|encr
c8g.16xlarge|a|64|131072|2.8|w|n|os|20000|15|50|encr
c8g.24xlarge|a|96|196608|2.8|w|n|os|30000|15|50|encr|1
c8g.2xlarge|a|8|16384|2.8|w|n|os|10000|4|15|encr
c8g.48xlarge|a|192|393216|2.7|w|n|os|40000|15|50|encr|1
c8g.4xlarge|a|16|32768|2.8|w|n|os|10000|8|30|encr
c8g.8xlarge|a|32|65536|2.8|w|n|os|10000|8|30|encr
c8g.large|a|2|4096|2.8|w|n|os|10000|3|10|encr
c8g.medium|a|1|2048|2.8|w|n|os|10000|2|4|ecr
c8g.metal-24xl|a|96|196608|2.8|w|m|os|30000|15|50|ecr|1
c8g.metal-48xl|a|192|393216|2.7|w|m|os|40000|15|50|ecr|1
c8g.xlarge|a|4|8192|2.8|w|n|os|10000|4|15|encr
c8gb.12xlarge|a|48|98304|2.8|w|n|os|75000|12|30|encr
c8gb.16xlarge|a|64|131072|2.8|w|n|os|100000|16|50|encr|1
c8gb.24xlarge|a|96|196608|2.8|w|n|os|150000|24|50|encr|1
c8gb.2xlarge|a|8|16384|2.8|w|n|os|25000|4|15|encr
c8gb.48xlarge|a|192|393216|2.7|w|n|os|300000|12+12|50|encr|2
c8gb.4xlarge|a|16|32768|2.8|w|n|os|25000|8|30|encr
c8gb.8xlarge|a|32|65536|2.8|w|n|os|50000|10|30|encr
c8gb.large|a|2|4096|2.8|w|n|os|25000|3|10|encr
c8gb.medium|a|1|2048|2.8|w|n|os|25000|2|4|ecr
c8gb.metal-24xl|a|96|196608|2.8|w|m|os|150000|24|50|ecr|1
c8gb.metal-48xl|a|192|393216|2.7|w|m|os|300000|12+12|50|ecr|2
c8gb.xlarge|a|4|8192|2.8|w|n|os|25000|4|15|encr
c8gd.12xlarge|a|48|98304|2.8|w|n|os|15000|8|30|encr||2850n
c8gd.16xlarge|a|64|131072|2.8|w|n|os|20000|15|50|encr||3800n
c8gd.24xlarge|a|96|196608|2.8|w|n|os|30000|15|50|encr|1|5700n
c8gd.2xlarge|a|8|16384|2.8|w|n|os|10000|4|15|encr||474n
c8gd.48xlarge|a|192|393216|2.7|w|n|os|40000|15|50|encr|1|11400n
c8gd.4xlarge|a|16|32768|2.8|w|n|os|10000|8|30|encr||950n
c8gd.8xlarge|a|32|65536|2.8|w|n|os|10000|8|30|encr||1900n
c8gd.large|a|2|4096|2.8|w|n|os|10000|3|10|encr||118n
c8gd.medium|a|1|2048|2.8|w|n|os|10000|2|4|ecr||59n
c8gd.metal-24xl|a|96|196608|2.8|w|m|os|30000|15|50|ecr|1|5700n
c8gd.metal-48xl|a|192|393216|2.7|w|m|os|40000|15|50|ecr|1|11400n
c8gd.xlarge|a|4|8192|2.8|w|n|os|10000|4|15|encr||237n
c8gn.12xlarge|a|48|98304|2.8|w|n|os|30000|12|30|encr
c8gn.16xlarge|a|64|131072|2.8|w|n|os|40000|16|50|encr|1
c8gn.24xlarge|a|96|196608|2.8|w|n|os|60000|24|50|encr|1
c8gn.2xlarge|a|8|16384|2.8|w|n|os|10000|4|15|encr
c8gn.48xlarge|a|192|393216|2.7|w|n|os|120000|12+12|50|encr|2
c8gn.4xlarge|a|16|32768|2.8|w|n|os|10000|8|30|encr
c8gn.8xlarge|a|32|65536|2.8|w|n|os|20000|10|30|encr
c8gn.large|a|2|4096|2.8|w|n|os|10000|3|10|encr
c8gn.medium|a|1|2048|2.8|w|n|os|10000|2|4|ecr
c8gn.metal-24xl|a|96|196608|2.8|w|m|os|60000|24|50|ecr|1
c8gn.metal-48xl|a|192|393216|2.7|w|m|os|120000|12+12|50|ecr|2
c8gn.xlarge|a|4|8192|2.8|w|n|os|10000|4|15|encr
c8i-flex.12xlarge|x|48|98304|3.9|i|n|os|15000|12|50|evr
c8i-flex.16xlarge|x|64|131072|3.9|i|n|os|20000|16|64|evr
c8i-flex.2xlarge|x|8|16384|3.9|i|n|os|10000|4|30|evr
c8i-flex.4xlarge|x|16|32768|3.9|i|n|os|10000|8|50|evr
c8i-flex.8xlarge|x|32|65536|3.9|i|n|os|10000|10|50|evr
c8i-flex.large|x|2|4096|3.9|i|n|os|10000|3|20|evr
c8i-flex.xlarge|x|4|8192|3.9|i|n|os|10000|4|30|evr
c8i.12xlarge|x|48|98304|3.9|i|n|os|15000|12|50|evncr
c8i.16xlarge|x|64|131072|3.9|i|n|os|20000|16|64|evncr
c8i.24xlarge|x|96|196608|3.9|i|n|os|30000|16|64|evncr
c8i.2xlarge|x|8|16384|3.9|i|n|os|10000|4|30|evncr
c8i.32xlarge|x|128|262144|3.9|i|n|os|40000|24|64|evncr
c8i.48xlarge|x|192|393216|3.9|i|n|os|60000|24|64|evncr|1
c8i.4xlarge|x|16|32768|3.9|i|n|os|10000|8|50|evncr
c8i.8xlarge|x|32|65536|3.9|i|n|os|10000|10|50|evncr
c8i.96xlarge|x|384|786432|3.9|i|n|os|80000|24|64|evncr|1
c8i.large|x|2|4096|3.9|i|n|os|10000|3|20|evcr
c8i.metal-48xl|x|192|393216|3.9|i|m|os|60000|24|64|ecr|1
c8i.metal-96xl|x|384|786432|3.9|i|m|os|80000|24|64|ecr|1
c8i.xlarge|x|4|8192|3.9|i|n|os|10000|4|30|evncr
c8ib.12xlarge|x|48|98304|3.9|i|n|os|37500|12|50|encr
c8ib.16xlarge|x|64|131072|3.9|i|n|os|50000|16|64|encr
c8ib.24xlarge|x|96|196608|3.9|i|n|os|75000|16|64|encr
c8ib.2xlarge|x|8|16384|3.9|i|n|os|25000|4|30|encr
c8ib.32xlarge|x|128|262144|3.9|i|n|os|100000|16|64|encr
c8ib.48xlarge|x|192|393216|3.9|i|n|os|150000|24|64|encr|1
c8ib.4xlarge|x|16|32768|3.9|i|n|os|25000|8|50|encr
c8ib.8xlarge|x|32|65536|3.9|i|n|os|25000|8|50|encr
c8ib.96xlarge|x|384|786432|3.9|i|n|os|300000|12+12|64|encr|2
c8ib.large|x|2|4096|3.9|i|n|os|25000|4|20|ecr
c8ib.metal-48xl|x|192|393216|3.9|i|m|os|150000|24|64|ecr|1
c8ib.metal-96xl|x|384|786432|3.9|i|m|os|300000|12+12|64|ecr|2
c8ib.xlarge|x|4|8192|3.9|i|n|os|25000|4|30|encr
c8id.12xlarge|x|48|98304|3.9|i|n|os|15000|12|50|evncr||2850n
c8id.16xlarge|x|64|131072|3.9|i|n|os|20000|16|64|evncr||3800n
c8id.24xlarge|x|96|196608|3.9|i|n|os|30000|16|64|evncr||5700n
c8id.2xlarge|x|8|16384|3.9|i|n|os|10000|4|30|evncr||474n
c8id.32xlarge|x|128|262144|3.9|i|n|os|40000|24|64|evncr||7600n
c8id.48xlarge|x|192|393216|3.9|i|n|os|60000|24|64|evncr|1|11400n
c8id.4xlarge|x|16|32768|3.9|i|n|os|10000|8|50|evncr||950n
c8id.8xlarge|x|32|65536|3.9|i|n|os|10000|10|50|evncr||1900n
c8id.96xlarge|x|384|786432|3.9|i|n|os|80000|24|64|evncr|1|22800n
c8id.large|x|2|4096|3.9|i|n|os|10000|3|20|evcr||118n
c8id.metal-48xl|x|192|393216|3.9|i|m|os|60000|24|64|ecr|1|11400n
c8id.metal-96xl|x|384|786432|3.9|i|m|os|80000|24|64|ecr|1|22800n
c8id.xlarge|x|4|8192|3.9|i|n|os|10000|4|30|evncr||237n
c8in.12xlarge|x|48|98304|3.9|i|n|os|15000|12|50|encr
c8in.16xlarge|x|64|131072|3.9|i|n|os|20000|16|64|encr
c8in.24xlarge|x|96|196608|3.9|i|n|os|30000|16|64|encr
c8in.2xlarge|x|8|16384|3.9|i|n|os|10000|4|30|encr
c8in.32xlarge|x|128|262144|3.9|i|n|os|40000|16|64|encr
c8in.48xlarge|x|192|393216|3.9|i|n|os|60000|24|64|encr|1
c8in.4xlarge|x|16|32768|3.9|i|n|os|10000|8|50|encr
c8in.8xlarge|x|32|65536|3.9|i|n|os|10000|8|50|encr
c8in.96xlarge|x|384|786432|3.9|i|n|os|120000|12+12|64|encr|2
c8in.large|x|2|4096|3.9|i|n|os|10000|4|20|ecr
c8in.metal-48xl|x|192|393216|3.9|i|m|os|60000|24|64|ecr|1
c8in.metal-96xl|x|384|786432|3.9|i|m|os|120000|12+12|64|ecr|2
c8in.xlarge|x|4|8192|3.9|i|n|os|10000|4|30|encr
c8ine.12xlarge|x|48|98304|3.9|i|n|os|15000|12|50|encr
c8ine.2xlarge|x|8|16384|3.9|i|n|os|10000|4|30|encr
c8ine.4xlarge|x|16|32768|3.9|i|n|os|10000|8|50|encr
c8ine.8xlarge|x|32|65536|3.9|i|n|os|10000|8|50|encr
c8ine.large|x|2|4096|3.9|i|n|os|10000|4|20|ecr
c8ine.xlarge|x|4|8192|3.9|i|n|os|10000|4|30|encr
c9g.12xlarge|a|48|98304|3.3|w|n|os|18000|12|50|encr
c9g.16xlarge|a|64|131072|3.3|w|n|os|24000|16|64|encr
c9g.24xlarge|a|96|196608|3.3|w|n|os|36000|24|64|encr
c9g.2xlarge|a|8|16384|3.3|w|n|os|12000|4|30|encr
c9g.48xlarge|a|192|393216|3.3|w|n|os|72000|24|64|encr|1
c9g.4xlarge|a|16|32768|3.3|w|n|os|12000|8|50|encr
c9g.8xlarge|a|32|65536|3.3|w|n|os|12000|10|50|encr
c9g.large|a|2|4096|3.3|w|n|os|12000|3|20|encr
c9g.medium|a|1|2048|3.3|w|n|os|12000|2|20|ecr
c9g.metal-48xl|a|192|393216|3.3|w|m|os|72000|24|64|ecr|1
c9g.xlarge|a|4|8192|3.3|w|n|os|12000|4|30|encr
c9gd.12xlarge|a|48|98304|3.3|w|n|os|18000|12|50|encr||2850n
c9gd.16xlarge|a|64|131072|3.3|w|n|os|24000|16|64|encr||3800n
c9gd.24xlarge|a|96|196608|3.3|w|n|os|36000|24|64|encr||5700n
c9gd.2xlarge|a|8|16384|3.3|w|n|os|12000|4|30|encr||474n
c9gd.48xlarge|a|192|393216|3.3|w|n|os|72000|24|64|encr|1|11400n
c9gd.4xlarge|a|16|32768|3.3|w|n|os|12000|8|50|encr||950n
c9gd.8xlarge|a|32|65536|3.3|w|n|os|12000|10|50|encr||1900n
c9gd.large|a|2|4096|3.3|w|n|os|12000|3|20|encr||118n
c9gd.medium|a|1|2048|3.3|w|n|os|12000|2|20|ecr||59n
c9gd.metal-48xl|a|192|393216|3.3|w|m|os|72000|24|64|ecr|1|11400n
c9gd.xlarge|a|4|8192|3.3|w|n|os|12000|4|30|encr||237n
d2.2xlarge|x|8|62464|2.4|i|x|os|1000|4|15|c||12288
d2.4xlarge|x|16|124928|2.4|i|x|os|2000|8|30|c||24576
d2.8xlarge|x|36|249856|2.4|i|x|os|4000|8|30|c||49152
d2.xlarge|x|4|31232|2.4|i|x|os|750|4|15|c||6144
d3.2xlarge|x|8|65536|3.1|i|n|os|2800|4|5|encr||11880n
d3.4xlarge|x|16|131072|3.1|i|n|os|2800|4|10|encr||23760n
d3.8xlarge|x|32|262144|3.1|i|n|os|5000|3|20|encr||47520n
d3.xlarge|x|4|32768|3.1|i|n|os|2800|4|3|encr||5940n
d3en.12xlarge|x|48|196608|3.1|i|n|os|7000|3|30|encr||335520n
d3en.2xlarge|x|8|32768|3.1|i|n|os|2800|4|5|encr||55920n
d3en.4xlarge|x|16|65536|3.1|i|n|os|2800|4|10|encr||111840n
d3en.6xlarge|x|24|98304|3.1|i|n|os|4000|4|15|encr||167760n
d3en.8xlarge|x|32|131072|3.1|i|n|os|5000|4|20|encr||223680n
d3en.xlarge|x|4|16384|3.1|i|n|os|2800|4|3|encr||27960n
dl2q.24xlarge|x|96|786432|2.5|i|n|os|19000|15|50|encr|1|||inference:Qualcomm Qualcomm AI100*8@16000
f2.12xlarge|x|48|524288|3.4|a|n|os|15000|8|30|encr||1880n
f2.48xlarge|x|192|2097152|3.4|a|n|os|60000|15|50|encr|1|7520n
f2.6xlarge|x|24|262144|3.4|a|n|os|7500|8|30|encr||940n
g4dn.12xlarge|x|48|196608|2.5|i|n|os|9500|8|30|encr|1|900n|NVIDIA T4*4@16384
g4dn.16xlarge|x|64|262144|2.5|i|n|os|9500|4|15|encr|1|900n|NVIDIA T4*1@16384
g4dn.2xlarge|x|8|32768|2.5|i|n|os|3500|3|10|encr||225n|NVIDIA T4*1@16384
g4dn.4xlarge|x|16|65536|2.5|i|n|os|4750|3|10|encr||225n|NVIDIA T4*1@16384
g4dn.8xlarge|x|32|131072|2.5|i|n|os|9500|4|15|encr|1|900n|NVIDIA T4*1@16384
g4dn.metal|x|96|393216|2.5|i|m|os|19000|15|50|ecr|1|1800n|NVIDIA T4*8@16384
g4dn.xlarge|x|4|16384|2.5|i|n|os|3500|3|10|encr||125n|NVIDIA T4*1@16384
g5.12xlarge|x|48|196608|3.3|a|n|os|16000|15|50|encr|1|3800n|NVIDIA A10G*4@22888
g5.16xlarge|x|64|262144|3.3|a|n|os|16000|8|30|encr|1|1900n|NVIDIA A10G*1@22888
g5.24xlarge|x|96|393216|3.3|a|n|os|19000|15|50|encr|1|3800n|NVIDIA A10G*4@22888
g5.2xlarge|x|8|32768|3.3|a|n|os|3500|4|15|encr||450n|NVIDIA A10G*1@22888
g5.48xlarge|x|192|786432|3.3|a|n|os|19000|7|50|encr|1|7600n|NVIDIA A10G*8@22888
g5.4xlarge|x|16|65536|3.3|a|n|os|4750|8|30|encr||600n|NVIDIA A10G*1@22888
g5.8xlarge|x|32|131072|3.3|a|n|os|16000|8|30|encr|1|900n|NVIDIA A10G*1@22888
g5.xlarge|x|4|16384|3.3|a|n|os|3500|4|15|encr||250n|NVIDIA A10G*1@22888
g5g.16xlarge|a|64|131072|2.5|w|n|os|19000|15|50|cr|||NVIDIA T4g*2@16384
g5g.2xlarge|a|8|16384|2.5|w|n|os|4750|4|15|cr|||NVIDIA T4g*1@16384
g5g.4xlarge|a|16|32768|2.5|w|n|os|4750|8|30|cr|||NVIDIA T4g*1@16384
g5g.8xlarge|a|32|65536|2.5|w|n|os|9500|8|30|cr|||NVIDIA T4g*1@16384
g5g.metal|a|64|131072|2.5|w|m|os|19000|15|50|cr|||NVIDIA T4g*2@16384
g5g.xlarge|a|4|8192|2.5|w|n|os|4750|4|15|cr|||NVIDIA T4g*1@16384
g6.12xlarge|x|48|196608|3.4|a|n|os|20000|8|30|encr|1|3760n|NVIDIA L4*4@22888
g6.16xlarge|x|64|262144|3.4|a|n|os|20000|15|50|encr|1|1880n|NVIDIA L4*1@22888
g6.24xlarge|x|96|393216|3.4|a|n|os|30000|15|50|encr|1|3760n|NVIDIA L4*4@22888
g6.2xlarge|x|8|32768|3.4|a|n|os|5000|4|15|encr||450n|NVIDIA L4*1@22888
g6.48xlarge|x|192|786432|3.4|a|n|os|60000|15|50|encr|1|7520n|NVIDIA L4*8@22888
g6.4xlarge|x|16|65536|3.4|a|n|os|8000|8|30|encr||600n|NVIDIA L4*1@22888
g6.8xlarge|x|32|131072|3.4|a|n|os|16000|8|30|encr|1|900n|NVIDIA L4*1@22888
g6.xlarge|x|4|16384|3.4|a|n|os|5000|4|15|encr||250n|NVIDIA L4*1@22888
g6e.12xlarge|x|48|393216|3.4|a|n|os|20000|10|30|encr|1|3800n|NVIDIA L40S*4@45776
g6e.16xlarge|x|64|524288|3.4|a|n|os|20000|15|50|encr|1|1900n|NVIDIA L40S*1@45776
g6e.24xlarge|x|96|786432|3.4|a|n|os|30000|10+10|50|encr|2|3800n|NVIDIA L40S*4@45776
g6e.2xlarge|x|8|65536|3.4|a|n|os|5000|4|15|encr||450n|NVIDIA L40S*1@45776
g6e.48xlarge|x|192|1572864|3.4|a|n|os|60000|10*4|50|encr|4|7600n|NVIDIA L40S*8@45776
g6e.4xlarge|x|16|131072|3.4|a|n|os|8000|8|30|encr||600n|NVIDIA L40S*1@45776
g6e.8xlarge|x|32|262144|3.4|a|n|os|16000|8|30|encr|1|900n|NVIDIA L40S*1@45776
g6e.xlarge|x|4|32768|3.4|a|n|os|5000|4|15|encr||250n|NVIDIA L40S*1@45776
g6f.2xlarge|x|8|32768|3.4|a|n|os|5000|4|15|encr||200n|NVIDIA L4*0@5722
g6f.4xlarge|x|16|65536|3.4|a|n|os|6000|8|30|encr||450n|NVIDIA L4*0@11444
g6f.large|x|2|8192|3.4|a|n|os|5000|2|10|ecr||100n|NVIDIA L4*0@2861
g6f.xlarge|x|4|16384|3.4|a|n|os|5000|4|15|encr||100n|NVIDIA L4*0@2861
g7.12xlarge|x|48|196608|3.9|i|n|os|20000|12|64|encr|1|1900n|NVIDIA RTX PRO 4500*2@32768
g7.24xlarge|x|96|393216|3.9|i|n|os|40000|24|64|encr|1|3800n|NVIDIA RTX PRO 4500*4@32768
g7.2xlarge|x|8|32768|3.9|i|n|os|8000|4|64|encr||440n|NVIDIA RTX PRO 4500*1@32768
g7.48xlarge|x|192|786432|3.9|i|n|os|80000|12+12|64|encr|2|7600n|NVIDIA RTX PRO 4500*8@32768
g7.4xlarge|x|16|65536|3.9|i|n|os|8000|8|64|encr||875n|NVIDIA RTX PRO 4500*1@32768
g7.8xlarge|x|32|131072|3.9|i|n|os|16000|10|64|encr|1|930n|NVIDIA RTX PRO 4500*1@32768
g7e.12xlarge|x|48|524288|2.4|i|n|os|25000|10|64|encr|1|3800n|NVIDIA RTX PRO Server 6000*2@98304
g7e.24xlarge|x|96|1048576|2.4|i|n|os|50000|10+10|64|encr|2|7600n|NVIDIA RTX PRO Server 6000*4@98304
g7e.2xlarge|x|8|65536|2.4|i|n|os|5000|4|64|encr||1900n|NVIDIA RTX PRO Server 6000*1@98304
g7e.48xlarge|x|192|2097152|2.4|i|n|os|100000|10*4|64|encr|4|15200n|NVIDIA RTX PRO Server 6000*8@98304
g7e.4xlarge|x|16|131072|2.4|i|n|os|8000|8|64|encr||1900n|NVIDIA RTX PRO Server 6000*1@98304
g7e.8xlarge|x|32|262144|2.4|i|n|os|16000|8|64|encr|1|1900n|NVIDIA RTX PRO Server 6000*1@98304
gr6.4xlarge|x|16|131072|3.4|a|n|os|8000|8|30|encr||600n|NVIDIA L4*1@22888
gr6.8xlarge|x|32|262144|3.4|a|n|os|16000|8|30|encr|1|900n|NVIDIA L4*1@22888
gr6f.4xlarge|x|16|131072|3.4|a|n|os|8000|8|30|encr||450n|NVIDIA L4*0@11444
h1.16xlarge|x|64|262144|2.3|i|x|os|14000|8|50|cs||16000
h1.2xlarge|x|8|32768|2.3|i|x|os|1750|4|15|cs||2000
h1.4xlarge|x|16|65536|2.3|i|x|os|3500|8|30|cs||4000
h1.8xlarge|x|32|131072|2.3|i|x|os|7000|8|30|cs||8000
hpc6a.48xlarge|x|96|393216|3.6|a|n|o|2085|2|50|ecr|1
hpc6id.32xlarge|x|64|1048576|3.5|i|n|o|2085|1+1|50|ecr|2|15200n
hpc7a.12xlarge|x|24|786432|3.7|a|n|o|2085|2+2|50|ecr|2
hpc7a.24xlarge|x|48|786432|3.7|a|n|o|2085|2+2|50|ecr|2
hpc7a.48xlarge|x|96|786432|3.7|a|n|o|2085|2+2|50|ecr|2
hpc7a.96xlarge|x|192|786432|3.7|a|n|o|2085|2+2|50|ecr|2
hpc7g.16xlarge|a|64|131072|2.6|w|n|o|2085|4|50|ecr|1
hpc7g.4xlarge|a|16|131072|2.6|w|n|o|2085|4|50|ecr|1
hpc7g.8xlarge|a|32|131072|2.6|w|n|o|2085|4|50|ecr|1
hpc8a.96xlarge|x|192|786432|4.5|a|n|o|2085|2+2|50|ecr|2
i2.2xlarge|x|8|62464|2.5|i|x|os|s1000|4|15|c||1600
i2.4xlarge|x|16|124928|2.5|i|x|os|s2000|8|30|c||3200
i2.8xlarge|x|32|249856|2.5|i|x|os|u|8|30|c||6400
i2.xlarge|x|4|31232|2.5|i|x|os|s500|4|15|c||800
i3.16xlarge|x|64|499712|2.3|i|x|os|14000|15|50|cs||15200n
i3.2xlarge|x|8|62464|2.3|i|x|os|1700|4|15|cs||1900n
i3.4xlarge|x|16|124928|2.3|i|x|os|3500|8|30|cs||3800n
i3.8xlarge|x|32|249856|2.3|i|x|os|7000|8|30|cs||7600n
i3.large|x|2|15616|2.3|i|x|os|425|3|10|cs||475n
i3.xlarge|x|4|31232|2.3|i|x|os|850|4|15|cs||950n
i3en.12xlarge|x|48|393216|3.1|i|n|os|9500|8|30|encr|1|30000n
i3en.24xlarge|x|96|786432|3.1|i|n|os|19000|15|50|encr|1|60000n
i3en.2xlarge|x|8|65536|3.1|i|n|os|4750|4|15|encr||5000n
i3en.3xlarge|x|12|98304|3.1|i|n|os|4750|4|15|encr||7500n
i3en.6xlarge|x|24|196608|3.1|i|n|os|4750|8|30|encr||15000n
i3en.large|x|2|16384|3.1|i|n|os|4750|3|10|ecr||1250n
i3en.metal|x|96|786432|3.1|i|m|os|19000|15|50|ecr|1|60000n
i3en.xlarge|x|4|32768|3.1|i|n|os|4750|4|15|encr||2500n
i4g.16xlarge|a|64|524288|2.5|w|n|os|20000|15|50|encr|1|15000n
i4g.2xlarge|a|8|65536|2.5|w|n|os|10000|4|15|encr||1875n
i4g.4xlarge|a|16|131072|2.5|w|n|os|10000|8|30|encr||3750n
i4g.8xlarge|a|32|262144|2.5|w|n|os|10000|8|30|encr||7500n
i4g.large|a|2|16384|2.5|w|n|os|10000|3|10|encr||468n
i4g.xlarge|a|4|32768|2.5|w|n|os|10000|4|15|encr||937n
i4i.12xlarge|x|48|393216|3.5|i|n|os|15000|8|30|encr||11250n
i4i.16xlarge|x|64|524288|3.5|i|n|os|20000|15|50|encr||15000n
i4i.24xlarge|x|96|786432|3.5|i|n|os|30000|15|30|encr||22500n
i4i.2xlarge|x|8|65536|3.5|i|n|os|10000|4|15|encr||1875n
i4i.32xlarge|x|128|1048576|3.5|i|n|os|40000|15|50|encr|1|30000n
i4i.4xlarge|x|16|131072|3.5|i|n|os|10000|8|30|encr||3750n
i4i.8xlarge|x|32|262144|3.5|i|n|os|10000|8|30|encr||7500n
i4i.large|x|2|16384|3.5|i|n|os|10000|3|10|ecr||468n
i4i.metal|x|128|1048576|3.5|i|m|os|40000|15|50|ecr|1|30000n
i4i.xlarge|x|4|32768|3.5|i|n|os|10000|4|15|encr||937n
i7i.12xlarge|x|48|393216|3.2|i|n|os|15000|8|30|evncr||11250n
i7i.16xlarge|x|64|524288|3.2|i|n|os|20000|15|50|evncr||15000n
i7i.24xlarge|x|96|786432|3.2|i|n|os|30000|15|50|evncr|1|22500n
i7i.2xlarge|x|8|65536|3.2|i|n|os|10000|4|15|evncr||1875n
i7i.48xlarge|x|192|1572864|3.2|i|n|os|60000|15|50|evncr|1|45000n
i7i.4xlarge|x|16|131072|3.2|i|n|os|10000|8|30|evncr||3750n
i7i.8xlarge|x|32|262144|3.2|i|n|os|10000|8|30|evncr||7500n
i7i.large|x|2|16384|3.2|i|n|os|10000|3|10|evcr||468n
i7i.metal-24xl|x|96|786432|3.2|i|m|os|30000|15|50|ecr||22500n
i7i.metal-48xl|x|192|1572864|3.2|i|m|os|60000|15|50|ecr|1|45000n
i7i.xlarge|x|4|32768|3.2|i|n|os|10000|4|15|evncr||937n
i7ie.12xlarge|x|48|393216|3.2|i|n|os|15000|8|50|evncr||30000n
i7ie.18xlarge|x|72|589824|3.2|i|n|os|22500|15|50|evncr||45000n
i7ie.24xlarge|x|96|786432|3.2|i|n|os|30000|15|50|evncr||60000n
i7ie.2xlarge|x|8|65536|3.2|i|n|os|10000|4|15|evncr||5000n
i7ie.3xlarge|x|12|98304|3.2|i|n|os|10000|4|15|evncr||7500n
i7ie.48xlarge|x|192|1572864|3.2|i|n|os|60000|8+7|50|evncr|1|120000n
i7ie.6xlarge|x|24|196608|3.2|i|n|os|10000|8|30|evncr||15000n
i7ie.large|x|2|16384|3.2|i|n|os|10000|3|10|evcr||1250n
i7ie.metal-24xl|x|96|786432|3.2|i|m|os|30000|15|50|ecr||60000n
i7ie.metal-48xl|x|192|1572864|3.2|i|m|os|60000|8+7|50|ecr|1|120000n
i7ie.xlarge|x|4|32768|3.2|i|n|os|10000|4|15|evncr||2500n
i8g.12xlarge|a|48|393216|2.8|w|n|os|15000|8|30|encr||11250n
i8g.16xlarge|a|64|524288|2.8|w|n|os|20000|15|50|encr||15000n
i8g.24xlarge|a|96|786432|2.8|w|n|os|30000|15|50|encr||22500n
i8g.2xlarge|a|8|65536|2.8|w|n|os|10000|4|15|encr||1875n
i8g.48xlarge|a|192|1572864|2.8|w|n|os|60000|15|50|encr|1|45000n
i8g.4xlarge|a|16|131072|2.8|w|n|os|10000|8|30|encr||3750n
i8g.8xlarge|a|32|262144|2.8|w|n|os|10000|8|30|encr||7500n
i8g.large|a|2|16384|2.8|w|n|os|10000|3|10|encr||468n
i8g.metal-24xl|a|96|786432|2.8|w|m|os|30000|15|50|ecr||22500n
i8g.metal-48xl|a|192|1572864|2.8|w|m|os|60000|15|50|ecr|1|45000n
i8g.xlarge|a|4|32768|2.8|w|n|os|10000|4|15|encr||937n
i8ge.12xlarge|a|48|393216|2.8|w|n|os|15000|12|30|encr||30000n
i8ge.18xlarge|a|72|589824|2.8|w|n|os|22500|16|50|encr||45000n
i8ge.24xlarge|a|96|786432|2.8|w|n|os|30000|16|50|encr||60000n
i8ge.2xlarge|a|8|65536|2.8|w|n|os|10000|4|15|encr||5000n
i8ge.3xlarge|a|12|98304|2.8|w|n|os|10000|6|30|encr||7500n
i8ge.48xlarge|a|192|1572864|2.7|w|n|os|60000|12+12|50|encr|1|120000n
i8ge.6xlarge|a|24|196608|2.8|w|n|os|10000|10|30|encr||15000n
i8ge.large|a|2|16384|2.8|w|n|os|10000|3|10|encr||1250n
i8ge.metal-24xl|a|96|786432|2.8|w|m|os|30000|16|50|ecr||60000n
i8ge.metal-48xl|a|192|1572864|2.7|w|m|os|60000|12+12|50|ecr|1|120000n
i8ge.xlarge|a|4|32768|2.8|w|n|os|10000|4|15|encr||2500n
im4gn.16xlarge|a|64|262144|2.5|w|n|os|40000|15|50|ecr|1|30000n
im4gn.2xlarge|a|8|32768|2.5|w|n|os|10000|4|15|ecr||3750n
im4gn.4xlarge|a|16|65536|2.5|w|n|os|10000|8|30|ecr||7500n
im4gn.8xlarge|a|32|131072|2.5|w|n|os|20000|8|30|ecr||15000n
im4gn.large|a|2|8192|2.5|w|n|os|10000|3|10|ecr||937n
im4gn.xlarge|a|4|16384|2.5|w|n|os|10000|4|15|ecr||1875n
inf1.24xlarge|x|96|196608|2.5|i|n|os|19000|11|30|encr|1|||neuron:Inferentia*16@4
inf1.2xlarge|x|8|16384|2.5|i|n|os|4750|4|10|encr||||neuron:Inferentia*1@4
inf1.6xlarge|x|24|49152|2.5|i|n|os|4750|8|30|encr||||neuron:Inferentia*4@4
inf1.xlarge|x|4|8192|2.5|i|n|os|4750|4|10|encr||||neuron:Inferentia*1@4
inf2.24xlarge|x|96|393216|3.6|a|n|os|30000|15|50|encr||||neuron:Inferentia2*6@2
inf2.48xlarge|x|192|786432|3.6|a|n|os|60000|15|50|encr||||neuron:Inferentia2*12@2
inf2.8xlarge|x|32|131072|3.6|a|n|os|10000|8|30|encr||||neuron:Inferentia2*1@2
inf2.xlarge|x|4|16384|3.6|a|n|os|10000|4|15|encr||||neuron:Inferentia2*1@2
is4gen.2xlarge|a|8|49152|2.5|w|n|os|10000|4|15|ecr||7500n
is4gen.4xlarge|a|16|98304|2.5|w|n|os|10000|8|30|ecr||15000n
is4gen.8xlarge|a|32|196608|2.5|w|n|os|20000|8|30|ecr||30000n
is4gen.large|a|2|12288|2.5|w|n|os|10000|3|10|ecr||1875n
is4gen.medium|a|1|6144|2.5|w|n|os|10000|2|4|ecr||937n
is4gen.xlarge|a|4|24576|2.5|w|n|os|10000|4|15|ecr||3750n
m1.large|x|2|7680||i|x|os|s500|3|10|||840
m1.medium|i|1|3788||i|x|os|u|2|6|||410
m1.small|i|1|1740||i|x|os|u|2|4|||160
m1.xlarge|x|4|15360||i|x|os|s1000|4|15|||1680
m2.2xlarge|x|4|35020||i|x|os|s500|4|30|||850
m2.4xlarge|x|8|70041||i|x|os|s1000|8|30|||1680
m2.xlarge|x|2|17510||i|x|os|u|4|15|||420
m3.2xlarge|x|8|30720|2.5|i|x|os|s1000|4|30|||160
m3.large|x|2|7680|2.5|i|x|os|u|3|10|||32
m3.medium|x|1|3840|2.5|i|x|os|u|2|6|||4
m3.xlarge|x|4|15360|2.5|i|x|os|s500|4|15|||80
m4.10xlarge|x|40|163840|2.4|i|x|os|4000|8|30|c
m4.16xlarge|x|64|262144|2.3|i|x|os|10000|8|30|cs
m4.2xlarge|x|8|32768|2.4|i|x|os|1000|4|15|c
m4.4xlarge|x|16|65536|2.4|i|x|os|2000|8|30|c
m4.large|x|2|8192|2.4|i|x|os|450|2|10|c
m4.xlarge|x|4|16384|2.4|i|x|os|750|4|15|c
m5.12xlarge|x|48|196608|3.1|i|n|os|9500|8|30|ncr
m5.16xlarge|x|64|262144|3.1|i|n|os|13600|15|50|ncr
m5.24xlarge|x|96|393216|3.1|i|n|os|19000|15|50|ncr
m5.2xlarge|x|8|32768|3.1|i|n|os|4750|4|15|ncr
m5.4xlarge|x|16|65536|3.1|i|n|os|4750|8|30|ncr
m5.8xlarge|x|32|131072|3.1|i|n|os|6800|8|30|ncr
m5.large|x|2|8192|3.1|i|n|os|4750|3|10|cr
m5.metal|x|96|393216|3.1|i|m|os|19000|15|50|cr
m5.xlarge|x|4|16384|3.1|i|n|os|4750|4|15|ncr
m5a.12xlarge|x|48|196608|2.5|a|n|os|6780|8|30|ncr
m5a.16xlarge|x|64|262144|2.5|a|n|os|9500|15|50|ncr
m5a.24xlarge|x|96|393216|2.5|a|n|os|13750|15|50|ncr
m5a.2xlarge|x|8|32768|2.5|a|n|os|2880|4|15|ncr
m5a.4xlarge|x|16|65536|2.5|a|n|os|2880|8|30|ncr
m5a.8xlarge|x|32|131072|2.5|a|n|os|4750|8|30|ncr
m5a.large|x|2|8192|2.5|a|n|os|2880|3|10|cr
m5a.xlarge|x|4|16384|2.5|a|n|os|2880|4|15|ncr
m5ad.12xlarge|x|48|196608|2.2|a|n|os|6780|8|30|ncr||1800n
m5ad.16xlarge|x|64|262144|2.5|a|n|os|9500|15|50|ncr||2400n
m5ad.24xlarge|x|96|393216|2.2|a|n|os|13750|15|50|ncr||3600n
m5ad.2xlarge|x|8|32768|2.2|a|n|os|2880|4|15|ncr||300n
m5ad.4xlarge|x|16|65536|2.2|a|n|os|2880|8|30|ncr||600n
m5ad.8xlarge|x|32|131072|2.5|a|n|os|4750|8|30|ncr||1200n
m5ad.large|x|2|8192|2.2|a|n|os|2880|3|10|cr||75n
m5ad.xlarge|x|4|16384|2.2|a|n|os|2880|4|15|ncr||150n
m5d.12xlarge|x|48|196608|3.1|i|n|os|9500|8|30|ncr||1800n
m5d.16xlarge|x|64|262144|3.1|i|n|os|13600|15|50|ncr||2400n
m5d.24xlarge|x|96|393216|3.1|i|n|os|19000|15|50|ncr||3600n
m5d.2xlarge|x|8|32768|3.1|i|n|os|4750|4|15|ncr||300n
m5d.4xlarge|x|16|65536|3.1|i|n|os|4750|8|30|ncr||600n
m5d.8xlarge|x|32|131072|3.1|i|n|os|6800|8|30|ncr||1200n
m5d.large|x|2|8192|3.1|i|n|os|4750|3|10|cr||75n
m5d.metal|x|96|393216|3.1|i|m|os|19000|15|50|cr||3600n
m5d.xlarge|x|4|16384|3.1|i|n|os|4750|4|15|ncr||150n
m5dn.12xlarge|x|48|196608|3.1|i|n|os|9500|8|30|encr||1800n
m5dn.16xlarge|x|64|262144|3.1|i|n|os|13600|15|50|encr||2400n
m5dn.24xlarge|x|96|393216|3.1|i|n|os|19000|15|50|encr|1|3600n
m5dn.2xlarge|x|8|32768|3.1|i|n|os|4750|4|15|encr||300n
m5dn.4xlarge|x|16|65536|3.1|i|n|os|4750|8|30|encr||600n
m5dn.8xlarge|x|32|131072|3.1|i|n|os|6800|8|30|encr||1200n
m5dn.large|x|2|8192|3.1|i|n|os|4750|3|10|ecr||75n
m5dn.metal|x|96|393216|3.1|i|m|os|19000|15|50|ecr|1|3600n
m5dn.xlarge|x|4|16384|3.1|i|n|os|4750|4|15|encr||150n
m5n.12xlarge|x|48|196608|3.1|i|n|os|9500|8|30|encr
m5n.16xlarge|x|64|262144|3.1|i|n|os|13600|15|50|encr
m5n.24xlarge|x|96|393216|3.1|i|n|os|19000|15|50|encr|1
m5n.2xlarge|x|8|32768|3.1|i|n|os|4750|4|15|encr
m5n.4xlarge|x|16|65536|3.1|i|n|os|4750|8|30|encr
m5n.8xlarge|x|32|131072|3.1|i|n|os|6800|8|30|encr
m5n.large|x|2|8192|3.1|i|n|os|4750|3|10|ecr
m5n.metal|x|96|393216|3.1|i|m|os|19000|15|50|ecr|1
m5n.xlarge|x|4|16384|3.1|i|n|os|4750|4|15|encr
m5zn.12xlarge|x|48|196608|4.5|i|n|os|19000|15|50|encr|1
m5zn.2xlarge|x|8|32768|4.5|i|n|os|3170|4|15|encr
m5zn.3xlarge|x|12|49152|4.5|i|n|os|4750|8|30|encr
m5zn.6xlarge|x|24|98304|4.5|i|n|os|9500|8|30|encr
m5zn.large|x|2|8192|4.5|i|n|os|3170|3|10|ecr
m5zn.metal|x|48|196608|4.5|i|m|os|19000|15|50|ecr|1
m5zn.xlarge|x|4|16384|4.5|i|n|os|3170|4|15|encr
m6a.12xlarge|x|48|196608|3.6|a|n|os|15000|8|30|encr
m6a.16xlarge|x|64|262144|3.6|a|n|os|20000|15|50|encr
m6a.24xlarge|x|96|393216|3.6|a|n|os|30000|15|50|encr
m6a.2xlarge|x|8|32768|3.6|a|n|os|10000|4|15|encr
m6a.32xlarge|x|128|524288|3.6|a|n|os|40000|15|50|encr
m6a.48xlarge|x|192|786432|3.6|a|n|os|40000|15|50|encr|1
m6a.4xlarge|x|16|65536|3.6|a|n|os|10000|8|30|encr
m6a.8xlarge|x|32|131072|3.6|a|n|os|10000|8|30|encr
m6a.large|x|2|8192|3.6|a|n|os|10000|3|10|ecr
m6a.metal|x|192|786432|3.6|a|m|os|40000|15|50|ecr|1
m6a.xlarge|x|4|16384|3.6|a|n|os|10000|4|15|encr
m6g.12xlarge|a|48|196608|2.5|w|n|os|14250|8|30|ncr
m6g.16xlarge|a|64|262144|2.5|w|n|os|19000|15|50|ncr
m6g.2xlarge|a|8|32768|2.5|w|n|os|4750|4|15|ncr
m6g.4xlarge|a|16|65536|2.5|w|n|os|4750|8|30|ncr
m6g.8xlarge|a|32|131072|2.5|w|n|os|9500|8|30|ncr
m6g.large|a|2|8192|2.5|w|n|os|4750|3|10|ncr
m6g.medium|a|1|4096|2.5|w|n|os|4750|2|4|cr
m6g.metal|a|64|262144|2.5|w|m|os|19000|15|50|cr
m6g.xlarge|a|4|16384|2.5|w|n|os|4750|4|15|ncr
m6gd.12xlarge|a|48|196608|2.5|w|n|os|14250|8|30|ncr||2850n
m6gd.16xlarge|a|64|262144|2.5|w|n|os|19000|15|50|ncr||3800n
m6gd.2xlarge|a|8|32768|2.5|w|n|os|4750|4|15|ncr||474n
m6gd.4xlarge|a|16|65536|2.5|w|n|os|4750|8|30|ncr||950n
m6gd.8xlarge|a|32|131072|2.5|w|n|os|9500|8|30|ncr||1900n
m6gd.large|a|2|8192|2.5|w|n|os|4750|3|10|ncr||118n
m6gd.medium|a|1|4096|2.5|w|n|os|4750|2|4|cr||59n
m6gd.metal|a|64|262144|2.5|w|m|os|19000|15|50|cr||3800n
m6gd.xlarge|a|4|16384|2.5|w|n|os|4750|4|15|ncr||237n
m6i.12xlarge|x|48|196608|3.5|i|n|os|15000|8|30|encr
m6i.16xlarge|x|64|262144|3.5|i|n|os|20000|15|50|encr
m6i.24xlarge|x|96|393216|3.5|i|n|os|30000|15|50|encr
m6i.2xlarge|x|8|32768|3.5|i|n|os|10000|4|15|encr
m6i.32xlarge|x|128|524288|3.5|i|n|os|40000|15|50|encr|1
m6i.4xlarge|x|16|65536|3.5|i|n|os|10000|8|30|encr
m6i.8xlarge|x|32|131072|3.5|i|n|os|10000|8|30|encr
m6i.large|x|2|8192|3.5|i|n|os|10000|3|10|ecr
m6i.metal|x|128|524288|3.5|i|m|os|40000|15|50|ecr|1
m6i.xlarge|x|4|16384|3.5|i|n|os|10000|4|15|encr
m6id.12xlarge|x|48|196608|3.5|i|n|os|15000|8|30|encr||2850n
m6id.16xlarge|x|64|262144|3.5|i|n|os|20000|15|50|encr||3800n
m6id.24xlarge|x|96|393216|3.5|i|n|os|30000|15|50|encr||5700n
m6id.2xlarge|x|8|32768|3.5|i|n|os|10000|4|15|encr||474n
m6id.32xlarge|x|128|524288|3.5|i|n|os|40000|15|50|encr|1|7600n
m6id.4xlarge|x|16|65536|3.5|i|n|os|10000|8|30|encr||950n
m6id.8xlarge|x|32|131072|3.5|i|n|os|10000|8|30|encr||1900n
m6id.large|x|2|8192|3.5|i|n|os|10000|3|10|ecr||118n
m6id.metal|x|128|524288|3.5|i|m|os|40000|15|50|ecr|1|7600n
m6id.xlarge|x|4|16384|3.5|i|n|os|10000|4|15|encr||237n
m6idn.12xlarge|x|48|196608|3.5|i|n|os|37500|8|30|encr||2850n
m6idn.16xlarge|x|64|262144|3.5|i|n|os|50000|15|50|encr||3800n
m6idn.24xlarge|x|96|393216|3.5|i|n|os|75000|15|50|encr||5700n
m6idn.2xlarge|x|8|32768|3.5|i|n|os|25000|4|15|encr||474n
m6idn.32xlarge|x|128|524288|3.5|i|n|os|100000|8+8|50|encr|2|7600n
m6idn.4xlarge|x|16|65536|3.5|i|n|os|25000|8|30|encr||950n
m6idn.8xlarge|x|32|131072|3.5|i|n|os|25000|8|30|encr||1900n
m6idn.large|x|2|8192|3.5|i|n|os|25000|3|10|ecr||118n
m6idn.metal|x|128|524288|3.5|i|m|os|100000|8+8|50|ecr|2|7600n
m6idn.xlarge|x|4|16384|3.5|i|n|os|25000|4|15|encr||237n
m6in.12xlarge|x|48|196608|3.5|i|n|os|37500|8|30|encr
m6in.16xlarge|x|64|262144|3.5|i|n|os|50000|15|50|encr
m6in.24xlarge|x|96|393216|3.5|i|n|os|75000|15|50|encr
m6in.2xlarge|x|8|32768|3.5|i|n|os|25000|4|15|encr
m6in.32xlarge|x|128|524288|3.5|i|n|os|100000|8+8|50|encr|2
m6in.4xlarge|x|16|65536|3.5|i|n|os|25000|8|30|encr
m6in.8xlarge|x|32|131072|3.5|i|n|os|25000|8|30|encr
m6in.large|x|2|8192|3.5|i|n|os|25000|3|10|ecr
m6in.metal|x|128|524288|3.5|i|m|os|100000|8+8|50|ecr|2
m6in.xlarge|x|4|16384|3.5|i|n|os|25000|4|15|encr
m7a.12xlarge|x|48|196608|3.7|a|n|os|15000|8|30|encr
m7a.16xlarge|x|64|262144|3.7|a|n|os|20000|15|50|encr
m7a.24xlarge|x|96|393216|3.7|a|n|os|30000|15|50|encr
m7a.2xlarge|x|8|32768|3.7|a|n|os|10000|4|15|encr
m7a.32xlarge|x|128|524288|3.7|a|n|os|40000|15|50|encr
m7a.48xlarge|x|192|786432|3.7|a|n|os|40000|15|50|encr|1
m7a.4xlarge|x|16|65536|3.7|a|n|os|10000|8|30|encr
m7a.8xlarge|x|32|131072|3.7|a|n|os|10000|8|30|encr
m7a.large|x|2|8192|3.7|a|n|os|10000|3|10|ecr
m7a.medium|x|1|4096|3.7|a|n|os|10000|2|4|ecr
m7a.metal-48xl|x|192|786432|3.7|a|m|os|40000|15|50|ecr|1
m7a.xlarge|x|4|16384|3.7|a|n|os|10000|4|15|encr
m7g.12xlarge|a|48|196608|2.6|w|n|os|15000|8|30|encr
m7g.16xlarge|a|64|262144|2.6|w|n|os|20000|15|50|encr|1
m7g.2xlarge|a|8|32768|2.6|w|n|os|10000|4|15|encr
m7g.4xlarge|a|16|65536|2.6|w|n|os|10000|8|30|encr
m7g.8xlarge|a|32|131072|2.6|w|n|os|10000|8|30|encr
m7g.large|a|2|8192|2.6|w|n|os|10000|3|10|encr
m7g.medium|a|1|4096|2.6|w|n|os|10000|2|4|ecr
m7g.metal|a|64|262144|2.6|w|m|os|20000|15|50|ecr|1
m7g.xlarge|a|4|16384|2.6|w|n|os|10000|4|15|encr
m7gd.12xlarge|a|48|196608|2.6|w|n|os|15000|8|30|encr||2850n
m7gd.16xlarge|a|64|262144|2.6|w|n|os|20000|15|50|encr|1|3800n
m7gd.2xlarge|a|8|32768|2.6|w|n|os|10000|4|15|encr||474n
m7gd.4xlarge|a|16|65536|2.6|w|n|os|10000|8|30|encr||950n
m7gd.8xlarge|a|32|131072|2.6|w|n|os|10000|8|30|encr||1900n
m7gd.large|a|2|8192|2.6|w|n|os|10000|3|10|encr||118n
m7gd.medium|a|1|4096|2.6|w|n|os|10000|2|4|ecr||59n
m7gd.metal|a|64|262144|2.6|w|m|os|20000|15|50|ecr|1|3800n
m7gd.xlarge|a|4|16384|2.6|w|n|os|10000|4|15|encr||237n
m7i-flex.12xlarge|x|48|196608|3.2|i|n|os|15000|8|30|evr
m7i-flex.16xlarge|x|64|262144|3.2|i|n|os|20000|15|50|evr
m7i-flex.2xlarge|x|8|32768|3.2|i|n|os|10000|4|15|evr
m7i-flex.4xlarge|x|16|65536|3.2|i|n|os|10000|8|30|evr
m7i-flex.8xlarge|x|32|131072|3.2|i|n|os|10000|8|30|evr
m7i-flex.large|x|2|8192|3.2|i|n|os|10000|3|10|evr
m7i-flex.xlarge|x|4|16384|3.2|i|n|os|10000|4|15|evr
m7i.12xlarge|x|48|196608|3.2|i|n|os|15000|8|30|evncr
m7i.16xlarge|x|64|262144|3.2|i|n|os|20000|15|50|evncr
m7i.24xlarge|x|96|393216|3.2|i|n|os|30000|15|50|evncr
m7i.2xlarge|x|8|32768|3.2|i|n|os|10000|4|15|evncr
m7i.48xlarge|x|192|786432|3.2|i|n|os|40000|15|50|evncr|1
m7i.4xlarge|x|16|65536|3.2|i|n|os|10000|8|30|evncr
m7i.8xlarge|x|32|131072|3.2|i|n|os|10000|8|30|evncr
m7i.large|x|2|8192|3.2|i|n|os|10000|3|10|evcr
m7i.metal-24xl|x|96|393216|3.2|i|m|os|30000|15|50|ecr
m7i.metal-48xl|x|192|786432|3.2|i|m|os|40000|15|50|ecr|1
m7i.xlarge|x|4|16384|3.2|i|n|os|10000|4|15|evncr
m8a.12xlarge|x|48|196608|4.5|a|n|os|15000|12|64|encr
m8a.16xlarge|x|64|262144|4.5|a|n|os|20000|16|64|encr
m8a.24xlarge|x|96|393216|4.5|a|n|os|30000|16|64|encr
m8a.2xlarge|x|8|32768|4.5|a|n|os|10000|4|40|encr
m8a.48xlarge|x|192|786432|4.5|a|n|os|60000|24|64|encr|1
m8a.4xlarge|x|16|65536|4.5|a|n|os|10000|8|40|encr
m8a.8xlarge|x|32|131072|4.5|a|n|os|10000|10|40|encr
m8a.large|x|2|8192|4.5|a|n|os|10000|3|20|encr
m8a.medium|x|1|4096|4.5|a|n|os|10000|2|4|ecr
m8a.metal-24xl|x|96|393216|4.5|a|m|os|30000|16|64|ecr
m8a.metal-48xl|x|192|786432|4.5|a|m|os|60000|24|64|ecr|1
m8a.xlarge|x|4|16384|4.5|a|n|os|10000|4|20|encr
m8azn.12xlarge|x|48|196608|5|a|n|os|30000|16|64|encr
m8azn.24xlarge|x|96|393216|5|a|n|os|60000|16|64|encr|1
m8azn.3xlarge|x|12|49152|5|a|n|os|15000|8|40|encr
m8azn.6xlarge|x|24|98304|5|a|n|os|15000|8|40|encr
m8azn.large|x|2|8192|5|a|n|os|15000|4|20|encr
m8azn.medium|x|1|4096|5|a|n|os|15000|3|4|ecr
m8azn.metal-12xl|x|48|196608|5|a|m|os|30000|16|64|ecr
m8azn.metal-24xl|x|96|393216|5|a|m|os|60000|16|64|ecr|1
m8azn.xlarge|x|4|16384|5|a|n|os|15000|4|20|encr
m8g.12xlarge|a|48|196608|2.8|w|n|os|15000|8|30|encr
m8g.16xlarge|a|64|262144|2.8|w|n|os|20000|15|50|encr
m8g.24xlarge|a|96|393216|2.8|w|n|os|30000|15|50|encr|1
m8g.2xlarge|a|8|32768|2.8|w|n|os|10000|4|15|encr
m8g.48xlarge|a|192|786432|2.7|w|n|os|40000|15|50|encr|1
m8g.4xlarge|a|16|65536|2.8|w|n|os|10000|8|30|encr
m8g.8xlarge|a|32|131072|2.8|w|n|os|10000|8|30|encr
m8g.large|a|2|8192|2.8|w|n|os|10000|3|10|encr
m8g.medium|a|1|4096|2.8|w|n|os|10000|2|4|ecr
m8g.metal-24xl|a|96|393216|2.8|w|m|os|30000|15|50|ecr|1
m8g.metal-48xl|a|192|786432|2.7|w|m|os|40000|15|50|ecr|1
m8g.xlarge|a|4|16384|2.8|w|n|os|10000|4|15|encr
m8gb.12xlarge|a|48|196608|2.8|w|n|os|75000|12|30|encr
m8gb.16xlarge|a|64|262144|2.8|w|n|os|100000|16|50|encr|1
m8gb.24xlarge|a|96|393216|2.8|w|n|os|150000|24|50|encr|1
m8gb.2xlarge|a|8|32768|2.8|w|n|os|25000|4|15|encr
m8gb.48xlarge|a|192|786432|2.7|w|n|os|300000|12+12|50|encr|2
m8gb.4xlarge|a|16|65536|2.8|w|n|os|25000|8|30|encr
m8gb.8xlarge|a|32|131072|2.8|w|n|os|50000|10|30|encr
m8gb.large|a|2|8192|2.8|w|n|os|25000|3|10|encr
m8gb.medium|a|1|4096|2.8|w|n|os|25000|2|4|ecr
m8gb.metal-24xl|a|96|393216|2.8|w|m|os|150000|24|50|ecr|1
m8gb.metal-48xl|a|192|786432|2.7|w|m|os|300000|12+12|50|ecr|2
m8gb.xlarge|a|4|16384|2.8|w|n|os|25000|4|15|encr
m8gd.12xlarge|a|48|196608|2.8|w|n|os|15000|8|30|encr||2850n
m8gd.16xlarge|a|64|262144|2.8|w|n|os|20000|15|50|encr||3800n
m8gd.24xlarge|a|96|393216|2.8|w|n|os|30000|15|50|encr|1|5700n
m8gd.2xlarge|a|8|32768|2.8|w|n|os|10000|4|15|encr||474n
m8gd.48xlarge|a|192|786432|2.7|w|n|os|40000|15|50|encr|1|11400n
m8gd.4xlarge|a|16|65536|2.8|w|n|os|10000|8|30|encr||950n
m8gd.8xlarge|a|32|131072|2.8|w|n|os|10000|8|30|encr||1900n
m8gd.large|a|2|8192|2.8|w|n|os|10000|3|10|encr||118n
m8gd.medium|a|1|4096|2.8|w|n|os|10000|2|4|ecr||59n
m8gd.metal-24xl|a|96|393216|2.8|w|m|os|30000|15|50|ecr|1|5700n
m8gd.metal-48xl|a|192|786432|2.7|w|m|os|40000|15|50|ecr|1|11400n
m8gd.xlarge|a|4|16384|2.8|w|n|os|10000|4|15|encr||237n
m8gn.12xlarge|a|48|196608|2.8|w|n|os|30000|12|30|encr
m8gn.16xlarge|a|64|262144|2.8|w|n|os|40000|16|50|encr|1
m8gn.24xlarge|a|96|393216|2.8|w|n|os|60000|24|50|encr|1
m8gn.2xlarge|a|8|32768|2.8|w|n|os|10000|4|15|encr
m8gn.48xlarge|a|192|786432|2.7|w|n|os|120000|12+12|50|encr|2
m8gn.4xlarge|a|16|65536|2.8|w|n|os|10000|8|30|encr
m8gn.8xlarge|a|32|131072|2.8|w|n|os|20000|10|30|encr
m8gn.large|a|2|8192|2.8|w|n|os|10000|3|10|encr
m8gn.medium|a|1|4096|2.8|w|n|os|10000|2|4|ecr
m8gn.metal-24xl|a|96|393216|2.8|w|m|os|60000|24|50|ecr|1
m8gn.metal-48xl|a|192|786432|2.7|w|m|os|120000|12+12|50|ecr|2
m8gn.xlarge|a|4|16384|2.8|w|n|os|10000|4|15|encr
m8i-flex.12xlarge|x|48|196608|3.9|i|n|os|15000|12|50|evr
m8i-flex.16xlarge|x|64|262144|3.9|i|n|os|20000|16|64|evr
m8i-flex.2xlarge|x|8|32768|3.9|i|n|os|10000|4|30|evr
m8i-flex.4xlarge|x|16|65536|3.9|i|n|os|10000|8|50|evr
m8i-flex.8xlarge|x|32|131072|3.9|i|n|os|10000|10|50|evr
m8i-flex.large|x|2|8192|3.9|i|n|os|10000|3|20|evr
m8i-flex.xlarge|x|4|16384|3.9|i|n|os|10000|4|30|evr
m8i.12xlarge|x|48|196608|3.9|i|n|os|15000|12|50|evncr
m8i.16xlarge|x|64|262144|3.9|i|n|os|20000|16|64|evncr
m8i.24xlarge|x|96|393216|3.9|i|n|os|30000|16|64|evncr
m8i.2xlarge|x|8|32768|3.9|i|n|os|10000|4|30|evncr
m8i.32xlarge|x|128|524288|3.9|i|n|os|40000|24|64|evncr
m8i.48xlarge|x|192|786432|3.9|i|n|os|60000|24|64|evncr|1
m8i.4xlarge|x|16|65536|3.9|i|n|os|10000|8|50|evncr
m8i.8xlarge|x|32|131072|3.9|i|n|os|10000|10|50|evncr
m8i.96xlarge|x|384|1572864|3.9|i|n|os|80000|24|64|evncr|1
m8i.large|x|2|8192|3.9|i|n|os|10000|3|20|evcr
m8i.metal-48xl|x|192|786432|3.9|i|m|os|60000|24|64|ecr|1
m8i.metal-96xl|x|384|1572864|3.9|i|m|os|80000|24|64|ecr|1
m8i.xlarge|x|4|16384|3.9|i|n|os|10000|4|30|evncr
m8ib.12xlarge|x|48|196608|3.9|i|n|os|37500|12|50|encr
m8ib.16xlarge|x|64|262144|3.9|i|n|os|50000|16|64|encr
m8ib.24xlarge|x|96|393216|3.9|i|n|os|75000|16|64|encr
m8ib.2xlarge|x|8|32768|3.9|i|n|os|25000|4|30|encr
m8ib.32xlarge|x|128|524288|3.9|i|n|os|100000|16|64|encr
m8ib.48xlarge|x|192|786432|3.9|i|n|os|150000|24|64|encr|1
m8ib.4xlarge|x|16|65536|3.9|i|n|os|25000|8|50|encr
m8ib.8xlarge|x|32|131072|3.9|i|n|os|25000|8|50|encr
m8ib.96xlarge|x|384|1572864|3.9|i|n|os|300000|12+12|64|encr|2
m8ib.large|x|2|8192|3.9|i|n|os|25000|4|20|ecr
m8ib.metal-48xl|x|192|786432|3.9|i|m|os|150000|24|64|ecr|1
m8ib.metal-96xl|x|384|1572864|3.9|i|m|os|300000|12+12|64|ecr|2
m8ib.xlarge|x|4|16384|3.9|i|n|os|25000|4|30|encr
m8id.12xlarge|x|48|196608|3.9|i|n|os|15000|12|50|evncr||2850n
m8id.16xlarge|x|64|262144|3.9|i|n|os|20000|16|64|evncr||3800n
m8id.24xlarge|x|96|393216|3.9|i|n|os|30000|16|64|evncr||5700n
m8id.2xlarge|x|8|32768|3.9|i|n|os|10000|4|30|evncr||474n
m8id.32xlarge|x|128|524288|3.9|i|n|os|40000|24|64|evncr||7600n
m8id.48xlarge|x|192|786432|3.9|i|n|os|60000|24|64|evncr|1|11400n
m8id.4xlarge|x|16|65536|3.9|i|n|os|10000|8|50|evncr||950n
m8id.8xlarge|x|32|131072|3.9|i|n|os|10000|10|50|evncr||1900n
m8id.96xlarge|x|384|1572864|3.9|i|n|os|80000|24|64|evncr|1|22800n
m8id.large|x|2|8192|3.9|i|n|os|10000|3|20|evcr||118n
m8id.metal-48xl|x|192|786432|3.9|i|m|os|60000|24|64|ecr|1|11400n
m8id.metal-96xl|x|384|1572864|3.9|i|m|os|80000|24|64|ecr|1|22800n
m8id.xlarge|x|4|16384|3.9|i|n|os|10000|4|30|evncr||237n
m8idb.12xlarge|x|48|196608|3.9|i|n|os|37500|12|50|encr||2850n
m8idb.16xlarge|x|64|262144|3.9|i|n|os|50000|16|64|encr||3800n
m8idb.24xlarge|x|96|393216|3.9|i|n|os|75000|16|64|encr||5700n
m8idb.2xlarge|x|8|32768|3.9|i|n|os|25000|4|30|encr||474n
m8idb.32xlarge|x|128|524288|3.9|i|n|os|100000|16|64|encr||7600n
m8idb.48xlarge|x|192|786432|3.9|i|n|os|150000|24|64|encr|1|11400n
m8idb.4xlarge|x|16|65536|3.9|i|n|os|25000|8|50|encr||950n
m8idb.8xlarge|x|32|131072|3.9|i|n|os|25000|8|50|encr||1900n
m8idb.96xlarge|x|384|1572864|3.9|i|n|os|300000|12+12|64|encr|2|22800n
m8idb.large|x|2|8192|3.9|i|n|os|25000|4|20|ecr||118n
m8idb.metal-48xl|x|192|786432|3.9|i|m|os|150000|24|64|ecr|1|11400n
m8idb.metal-96xl|x|384|1572864|3.9|i|m|os|300000|12+12|64|ecr|2|22800n
m8idb.xlarge|x|4|16384|3.9|i|n|os|25000|4|30|encr||237n
m8idn.12xlarge|x|48|196608|3.9|i|n|os|15000|12|50|encr||2850n
m8idn.16xlarge|x|64|262144|3.9|i|n|os|20000|16|64|encr||3800n
m8idn.24xlarge|x|96|393216|3.9|i|n|os|30000|16|64|encr||5700n
m8idn.2xlarge|x|8|32768|3.9|i|n|os|10000|4|30|encr||474n
m8idn.32xlarge|x|128|524288|3.9|i|n|os|40000|16|64|encr||7600n
m8idn.48xlarge|x|192|786432|3.9|i|n|os|60000|24|64|encr|1|11400n
m8idn.4xlarge|x|16|65536|3.9|i|n|os|10000|8|50|encr||950n
m8idn.8xlarge|x|32|131072|3.9|i|n|os|10000|8|50|encr||1900n
m8idn.96xlarge|x|384|1572864|3.9|i|n|os|120000|12+12|64|encr|2|22800n
m8idn.large|x|2|8192|3.9|i|n|os|10000|4|20|ecr||118n
m8idn.metal-48xl|x|192|786432|3.9|i|m|os|60000|24|64|ecr|1|11400n
m8idn.metal-96xl|x|384|1572864|3.9|i|m|os|120000|12+12|64|ecr|2|22800n
m8idn.xlarge|x|4|16384|3.9|i|n|os|10000|4|30|encr||237n
m8in.12xlarge|x|48|196608|3.9|i|n|os|15000|12|50|encr
m8in.16xlarge|x|64|262144|3.9|i|n|os|20000|16|64|encr
m8in.24xlarge|x|96|393216|3.9|i|n|os|30000|16|64|encr
m8in.2xlarge|x|8|32768|3.9|i|n|os|10000|4|30|encr
m8in.32xlarge|x|128|524288|3.9|i|n|os|40000|16|64|encr
m8in.48xlarge|x|192|786432|3.9|i|n|os|60000|24|64|encr|1
m8in.4xlarge|x|16|65536|3.9|i|n|os|10000|8|50|encr
m8in.8xlarge|x|32|131072|3.9|i|n|os|10000|8|50|encr
m8in.96xlarge|x|384|1572864|3.9|i|n|os|120000|12+12|64|encr|2
m8in.large|x|2|8192|3.9|i|n|os|10000|4|20|ecr
m8in.metal-48xl|x|192|786432|3.9|i|m|os|60000|24|64|ecr|1
m8in.metal-96xl|x|384|1572864|3.9|i|m|os|120000|12+12|64|ecr|2
m8in.xlarge|x|4|16384|3.9|i|n|os|10000|4|30|encr
m8ine.12xlarge|x|48|196608|3.9|i|n|os|15000|12|50|encr
m8ine.2xlarge|x|8|32768|3.9|i|n|os|10000|4|30|encr
m8ine.4xlarge|x|16|65536|3.9|i|n|os|10000|8|50|encr
m8ine.8xlarge|x|32|131072|3.9|i|n|os|10000|8|50|encr
m8ine.large|x|2|8192|3.9|i|n|os|10000|4|20|ecr
m8ine.xlarge|x|4|16384|3.9|i|n|os|10000|4|30|encr
m9g.12xlarge|a|48|196608|3.3|w|n|os|18000|12|50|encr
m9g.16xlarge|a|64|262144|3.3|w|n|os|24000|16|64|encr
m9g.24xlarge|a|96|393216|3.3|w|n|os|36000|24|64|encr
m9g.2xlarge|a|8|32768|3.3|w|n|os|12000|4|30|encr
m9g.48xlarge|a|192|786432|3.3|w|n|os|72000|24|64|encr|1
m9g.4xlarge|a|16|65536|3.3|w|n|os|12000|8|50|encr
m9g.8xlarge|a|32|131072|3.3|w|n|os|12000|10|50|encr
m9g.large|a|2|8192|3.3|w|n|os|12000|3|20|encr
m9g.medium|a|1|4096|3.3|w|n|os|12000|2|20|ecr
m9g.metal-48xl|a|192|786432|3.3|w|m|os|72000|24|64|ecr|1
m9g.xlarge|a|4|16384|3.3|w|n|os|12000|4|30|encr
m9gd.12xlarge|a|48|196608|3.3|w|n|os|18000|12|50|encr||2850n
m9gd.16xlarge|a|64|262144|3.3|w|n|os|24000|16|64|encr||3800n
m9gd.24xlarge|a|96|393216|3.3|w|n|os|36000|24|64|encr||5700n
m9gd.2xlarge|a|8|32768|3.3|w|n|os|12000|4|30|encr||474n
m9gd.48xlarge|a|192|786432|3.3|w|n|os|72000|24|64|encr|1|11400n
m9gd.4xlarge|a|16|65536|3.3|w|n|os|12000|8|50|encr||950n
m9gd.8xlarge|a|32|131072|3.3|w|n|os|12000|10|50|encr||1900n
m9gd.large|a|2|8192|3.3|w|n|os|12000|3|20|encr||118n
m9gd.medium|a|1|4096|3.3|w|n|os|12000|2|20|ecr||59n
m9gd.metal-48xl|a|192|786432|3.3|w|m|os|72000|24|64|ecr|1|11400n
m9gd.xlarge|a|4|16384|3.3|w|n|os|12000|4|30|encr||237n
p3dn.24xlarge|x|96|786432|2.5|i|n|os|19000|15|50|encr|1|1800n|NVIDIA V100*8@32768
p4d.24xlarge|x|96|1179648|3|i|n|osc|19000|15*4|50|encr|4|8000n|NVIDIA A100*8@40960
p4de.24xlarge|x|96|1179648|3|i|n|osc|19000|15*4|50|encr|4|8000n|NVIDIA A100*8@81920
p5.48xlarge|x|192|2097152|3.6|a|n|osc|80000|2*32|50|encr|32|30400n|NVIDIA H100*8@81920
p5.4xlarge|x|16|262144|3.6|a|n|osc|10000|4|30|encr|1|3800n|NVIDIA H100*1@81920
p5e.48xlarge|x|192|2097152|3.6|a|n|osc|80000|2*32|50|encr|32|30400n|NVIDIA H200*8@144384
p5en.48xlarge|x|192|2097152|2.4|i|n|osc|100000|4*16|50|encr|16|30400n|NVIDIA H200*8@144384
p6-b200.48xlarge|x|192|2097152|2.4|i|n|osc|100000|4*8|50|ecr|8|30400n|NVIDIA B200*8@183359
p6-b300.48xlarge|x|192|4194304|2.4|i|n|osc|100000|4*17|50|encr|16|30400n|NVIDIA B300*8@275040
r3.2xlarge|x|8|62464|2.5|i|x|os|s1000|4|15|c||160
r3.4xlarge|x|16|124928|2.5|i|x|os|s2000|8|30|c||320
r3.8xlarge|x|32|249856|2.5|i|x|os|u|8|30|c||640
r3.large|x|2|15360|2.5|i|x|os|u|3|10|c||32
r3.xlarge|x|4|31232|2.5|i|x|os|s500|4|15|c||80
r4.16xlarge|x|64|499712|2.3|i|x|os|14000|15|50|cs
r4.2xlarge|x|8|62464|2.3|i|x|os|1700|4|15|cs
r4.4xlarge|x|16|124928|2.3|i|x|os|3500|8|30|cs
r4.8xlarge|x|32|249856|2.3|i|x|os|7000|8|30|cs
r4.large|x|2|15616|2.3|i|x|os|425|3|10|cs
r4.xlarge|x|4|31232|2.3|i|x|os|850|4|15|cs
r5.12xlarge|x|48|393216|3.1|i|n|os|9500|8|30|ncr
r5.16xlarge|x|64|524288|3.1|i|n|os|13600|15|50|ncr
r5.24xlarge|x|96|786432|3.1|i|n|os|19000|15|50|ncr
r5.2xlarge|x|8|65536|3.1|i|n|os|4750|4|15|ncr
r5.4xlarge|x|16|131072|3.1|i|n|os|4750|8|30|ncr
r5.8xlarge|x|32|262144|3.1|i|n|os|6800|8|30|ncr
r5.large|x|2|16384|3.1|i|n|os|4750|3|10|cr
r5.metal|x|96|786432|3.1|i|m|os|19000|15|50|cr
r5.xlarge|x|4|32768|3.1|i|n|os|4750|4|15|ncr
r5a.12xlarge|x|48|393216|2.5|a|n|os|6780|8|30|ncr
r5a.16xlarge|x|64|524288|2.5|a|n|os|9500|15|50|ncr
r5a.24xlarge|x|96|786432|2.5|a|n|os|13570|15|50|ncr
r5a.2xlarge|x|8|65536|2.5|a|n|os|2880|4|15|ncr
r5a.4xlarge|x|16|131072|2.5|a|n|os|2880|8|30|ncr
r5a.8xlarge|x|32|262144|2.5|a|n|os|4750|8|30|ncr
r5a.large|x|2|16384|2.5|a|n|os|2880|3|10|cr
r5a.xlarge|x|4|32768|2.5|a|n|os|2880|4|15|ncr
r5ad.12xlarge|x|48|393216|2.2|a|n|os|6780|8|30|ncr||1800n
r5ad.16xlarge|x|64|524288|2.5|a|n|os|9500|15|50|ncr||2400n
r5ad.24xlarge|x|96|786432|2.2|a|n|os|13570|15|50|ncr||3600n
r5ad.2xlarge|x|8|65536|2.2|a|n|os|2880|4|15|ncr||300n
r5ad.4xlarge|x|16|131072|2.2|a|n|os|2880|8|30|ncr||600n
r5ad.8xlarge|x|32|262144|2.5|a|n|os|4750|8|30|ncr||1200n
r5ad.large|x|2|16384|2.2|a|n|os|2880|3|10|cr||75n
r5ad.xlarge|x|4|32768|2.2|a|n|os|2880|4|15|ncr||150n
r5b.12xlarge|x|48|393216|3.1|i|n|os|30000|8|30|ncr
r5b.16xlarge|x|64|524288|3.1|i|n|os|40000|15|50|ncr
r5b.24xlarge|x|96|786432|3.1|i|n|os|60000|15|50|ncr
r5b.2xlarge|x|8|65536|3.1|i|n|os|10000|4|15|ncr
r5b.4xlarge|x|16|131072|3.1|i|n|os|10000|8|30|ncr
r5b.8xlarge|x|32|262144|3.1|i|n|os|20000|8|30|ncr
r5b.large|x|2|16384|3.1|i|n|os|10000|3|10|cr
r5b.metal|x|96|786432|3.1|i|m|os|60000|15|50|cr
r5b.xlarge|x|4|32768|3.1|i|n|os|10000|4|15|ncr
r5d.12xlarge|x|48|393216|3.1|i|n|os|9500|8|30|ncr||1800n
r5d.16xlarge|x|64|524288|3.1|i|n|os|13600|15|50|ncr||2400n
r5d.24xlarge|x|96|786432|3.1|i|n|os|19000|15|50|ncr||3600n
r5d.2xlarge|x|8|65536|3.1|i|n|os|4750|4|15|ncr||300n
r5d.4xlarge|x|16|131072|3.1|i|n|os|4750|8|30|ncr||600n
r5d.8xlarge|x|32|262144|3.1|i|n|os|6800|8|30|ncr||1200n
r5d.large|x|2|16384|3.1|i|n|os|4750|3|10|cr||75n
r5d.metal|x|96|786432|3.1|i|m|os|19000|15|50|cr||3600n
r5d.xlarge|x|4|32768|3.1|i|n|os|4750|4|15|ncr||150n
r5dn.12xlarge|x|48|393216|3.1|i|n|os|9500|8|30|encr||1800n
r5dn.16xlarge|x|64|524288|3.1|i|n|os|13600|15|50|encr||2400n
r5dn.24xlarge|x|96|786432|3.1|i|n|os|19000|15|50|encr|1|3600n
r5dn.2xlarge|x|8|65536|3.1|i|n|os|4750|4|15|encr||300n
r5dn.4xlarge|x|16|131072|3.1|i|n|os|4750|8|30|encr||600n
r5dn.8xlarge|x|32|262144|3.1|i|n|os|6800|8|30|encr||1200n
r5dn.large|x|2|16384|3.1|i|n|os|4750|3|10|ecr||75n
r5dn.metal|x|96|786432|3.1|i|m|os|19000|15|50|ecr|1|3600n
r5dn.xlarge|x|4|32768|3.1|i|n|os|4750|4|15|encr||150n
r5n.12xlarge|x|48|393216|3.1|i|n|os|9500|8|30|encr
r5n.16xlarge|x|64|524288|3.1|i|n|os|13600|15|50|encr
r5n.24xlarge|x|96|786432|3.1|i|n|os|19000|15|50|encr|1
r5n.2xlarge|x|8|65536|3.1|i|n|os|4750|4|15|encr
r5n.4xlarge|x|16|131072|3.1|i|n|os|4750|8|30|encr
r5n.8xlarge|x|32|262144|3.1|i|n|os|6800|8|30|encr
r5n.large|x|2|16384|3.1|i|n|os|4750|3|10|ecr
r5n.metal|x|96|786432|3.1|i|m|os|19000|15|50|ecr|1
r5n.xlarge|x|4|32768|3.1|i|n|os|4750|4|15|encr
r6a.12xlarge|x|48|393216|3.6|a|n|os|15000|8|30|encr
r6a.16xlarge|x|64|524288|3.6|a|n|os|20000|15|50|encr
r6a.24xlarge|x|96|786432|3.6|a|n|os|30000|15|50|encr
r6a.2xlarge|x|8|65536|3.6|a|n|os|10000|4|15|encr
r6a.32xlarge|x|128|1048576|3.6|a|n|os|40000|15|50|encr
r6a.48xlarge|x|192|1572864|3.6|a|n|os|40000|15|50|encr|1
r6a.4xlarge|x|16|131072|3.6|a|n|os|10000|8|30|encr
r6a.8xlarge|x|32|262144|3.6|a|n|os|10000|8|30|encr
r6a.large|x|2|16384|3.6|a|n|os|10000|3|10|ecr
r6a.metal|x|192|1572864|3.6|a|m|os|40000|15|50|ecr|1
r6a.xlarge|x|4|32768|3.6|a|n|os|10000|4|15|encr
r6g.12xlarge|a|48|393216|2.5|w|n|os|14250|8|30|ncr
r6g.16xlarge|a|64|524288|2.5|w|n|os|19000|15|50|ncr
r6g.2xlarge|a|8|65536|2.5|w|n|os|4750|4|15|ncr
r6g.4xlarge|a|16|131072|2.5|w|n|os|4750|8|30|ncr
r6g.8xlarge|a|32|262144|2.5|w|n|os|9500|8|30|ncr
r6g.large|a|2|16384|2.5|w|n|os|4750|3|10|ncr
r6g.medium|a|1|8192|2.5|w|n|os|4750|2|4|cr
r6g.metal|a|64|524288|2.5|w|m|os|19000|15|50|cr
r6g.xlarge|a|4|32768|2.5|w|n|os|4750|4|15|ncr
r6gd.12xlarge|a|48|393216|2.5|w|n|os|14250|8|30|ncr||2850n
r6gd.16xlarge|a|64|524288|2.5|w|n|os|19000|15|50|ncr||3800n
r6gd.2xlarge|a|8|65536|2.5|w|n|os|4750|4|15|ncr||474n
r6gd.4xlarge|a|16|131072|2.5|w|n|os|4750|8|30|ncr||950n
r6gd.8xlarge|a|32|262144|2.5|w|n|os|9500|8|30|ncr||1900n
r6gd.large|a|2|16384|2.5|w|n|os|4750|3|10|ncr||118n
r6gd.medium|a|1|8192|2.5|w|n|os|4750|2|4|cr||59n
r6gd.metal|a|64|524288|2.5|w|m|os|19000|15|50|cr||3800n
r6gd.xlarge|a|4|32768|2.5|w|n|os|4750|4|15|ncr||237n
r6i.12xlarge|x|48|393216|3.5|i|n|os|15000|8|30|encr
r6i.16xlarge|x|64|524288|3.5|i|n|os|20000|15|50|encr
r6i.24xlarge|x|96|786432|3.5|i|n|os|30000|15|50|encr
r6i.2xlarge|x|8|65536|3.5|i|n|os|10000|4|15|encr
r6i.32xlarge|x|128|1048576|3.5|i|n|os|40000|15|50|encr|1
r6i.4xlarge|x|16|131072|3.5|i|n|os|10000|8|30|encr
r6i.8xlarge|x|32|262144|3.5|i|n|os|10000|8|30|encr
r6i.large|x|2|16384|3.5|i|n|os|10000|3|10|ecr
r6i.metal|x|128|1048576|3.5|i|m|os|40000|15|50|ecr|1
r6i.xlarge|x|4|32768|3.5|i|n|os|10000|4|15|encr
r6id.12xlarge|x|48|393216|3.5|i|n|os|15000|8|30|encr||2850n
r6id.16xlarge|x|64|524288|3.5|i|n|os|20000|15|50|encr||3800n
r6id.24xlarge|x|96|786432|3.5|i|n|os|30000|15|50|encr||5700n
r6id.2xlarge|x|8|65536|3.5|i|n|os|10000|4|15|encr||474n
r6id.32xlarge|x|128|1048576|3.5|i|n|os|40000|15|50|encr|1|7600n
r6id.4xlarge|x|16|131072|3.5|i|n|os|10000|8|30|encr||950n
r6id.8xlarge|x|32|262144|3.5|i|n|os|10000|8|30|encr||1900n
r6id.large|x|2|16384|3.5|i|n|os|10000|3|10|ecr||118n
r6id.metal|x|128|1048576|3.5|i|m|os|40000|15|50|ecr|1|7600n
r6id.xlarge|x|4|32768|3.5|i|n|os|10000|4|15|encr||237n
r6idn.12xlarge|x|48|393216|3.5|i|n|os|37500|8|30|encr||2850n
r6idn.16xlarge|x|64|524288|3.5|i|n|os|50000|15|50|encr||3800n
r6idn.24xlarge|x|96|786432|3.5|i|n|os|75000|15|50|encr||5700n
r6idn.2xlarge|x|8|65536|3.5|i|n|os|25000|4|15|encr||474n
r6idn.32xlarge|x|128|1048576|3.5|i|n|os|100000|8+8|50|encr|2|7600n
r6idn.4xlarge|x|16|131072|3.5|i|n|os|25000|8|30|encr||950n
r6idn.8xlarge|x|32|262144|3.5|i|n|os|25000|8|30|encr||1900n
r6idn.large|x|2|16384|3.5|i|n|os|25000|3|10|ecr||118n
r6idn.metal|x|128|1048576|3.5|i|m|os|100000|8+8|50|ecr|2|7600n
r6idn.xlarge|x|4|32768|3.5|i|n|os|25000|4|15|encr||237n
r6in.12xlarge|x|48|393216|3.5|i|n|os|37500|8|30|encr
r6in.16xlarge|x|64|524288|3.5|i|n|os|50000|15|50|encr
r6in.24xlarge|x|96|786432|3.5|i|n|os|75000|15|50|encr
r6in.2xlarge|x|8|65536|3.5|i|n|os|25000|4|15|encr
r6in.32xlarge|x|128|1048576|3.5|i|n|os|100000|8+8|50|encr|2
r6in.4xlarge|x|16|131072|3.5|i|n|os|25000|8|30|encr
r6in.8xlarge|x|32|262144|3.5|i|n|os|25000|8|30|encr
r6in.large|x|2|16384|3.5|i|n|os|25000|3|10|ecr
r6in.metal|x|128|1048576|3.5|i|m|os|100000|8+8|50|ecr|2
r6in.xlarge|x|4|32768|3.5|i|n|os|25000|4|15|encr
r7a.12xlarge|x|48|393216|3.7|a|n|os|15000|8|30|encr
r7a.16xlarge|x|64|524288|3.7|a|n|os|20000|15|50|encr
r7a.24xlarge|x|96|786432|3.7|a|n|os|30000|15|50|encr
r7a.2xlarge|x|8|65536|3.7|a|n|os|10000|4|15|encr
r7a.32xlarge|x|128|1048576|3.7|a|n|os|40000|15|50|encr
r7a.48xlarge|x|192|1572864|3.7|a|n|os|40000|15|50|encr|1
r7a.4xlarge|x|16|131072|3.7|a|n|os|10000|8|30|encr
r7a.8xlarge|x|32|262144|3.7|a|n|os|10000|8|30|encr
r7a.large|x|2|16384|3.7|a|n|os|10000|3|10|ecr
r7a.medium|x|1|8192|3.7|a|n|os|10000|2|4|ecr
r7a.metal-48xl|x|192|1572864|3.7|a|m|os|40000|15|50|ecr|1
r7a.xlarge|x|4|32768|3.7|a|n|os|10000|4|15|encr
r7g.12xlarge|a|48|393216|2.6|w|n|os|15000|8|30|encr
r7g.16xlarge|a|64|524288|2.6|w|n|os|20000|15|50|encr|1
r7g.2xlarge|a|8|65536|2.6|w|n|os|10000|4|15|encr
r7g.4xlarge|a|16|131072|2.6|w|n|os|10000|8|30|encr
r7g.8xlarge|a|32|262144|2.6|w|n|os|10000|8|30|encr
r7g.large|a|2|16384|2.6|w|n|os|10000|3|10|encr
r7g.medium|a|1|8192|2.6|w|n|os|10000|2|4|ecr
r7g.metal|a|64|524288|2.6|w|m|os|20000|15|50|ecr|1
r7g.xlarge|a|4|32768|2.6|w|n|os|10000|4|15|encr
r7gd.12xlarge|a|48|393216|2.6|w|n|os|15000|8|30|encr||2850n
r7gd.16xlarge|a|64|524288|2.6|w|n|os|20000|15|50|encr|1|3800n
r7gd.2xlarge|a|8|65536|2.6|w|n|os|10000|4|15|encr||474n
r7gd.4xlarge|a|16|131072|2.6|w|n|os|10000|8|30|encr||950n
r7gd.8xlarge|a|32|262144|2.6|w|n|os|10000|8|30|encr||1900n
r7gd.large|a|2|16384|2.6|w|n|os|10000|3|10|encr||118n
r7gd.medium|a|1|8192|2.6|w|n|os|10000|2|4|ecr||59n
r7gd.metal|a|64|524288|2.6|w|m|os|20000|15|50|ecr|1|3800n
r7gd.xlarge|a|4|32768|2.6|w|n|os|10000|4|15|encr||237n
r7i.12xlarge|x|48|393216|3.2|i|n|os|15000|8|30|evncr
r7i.16xlarge|x|64|524288|3.2|i|n|os|20000|15|50|evncr
r7i.24xlarge|x|96|786432|3.2|i|n|os|30000|15|50|evncr
r7i.2xlarge|x|8|65536|3.2|i|n|os|10000|4|15|evncr
r7i.48xlarge|x|192|1572864|3.2|i|n|os|40000|15|50|evncr|1
r7i.4xlarge|x|16|131072|3.2|i|n|os|10000|8|30|evncr
r7i.8xlarge|x|32|262144|3.2|i|n|os|10000|8|30|evncr
r7i.large|x|2|16384|3.2|i|n|os|10000|3|10|evcr
r7i.metal-24xl|x|96|786432|3.2|i|m|os|30000|15|50|ecr
r7i.metal-48xl|x|192|1572864|3.2|i|m|os|40000|15|50|ecr|1
r7i.xlarge|x|4|32768|3.2|i|n|os|10000|4|15|evncr
r7iz.12xlarge|x|48|393216|3.9|i|n|os|19000|8|30|evncr
r7iz.16xlarge|x|64|524288|3.9|i|n|os|20000|15|50|evncr
r7iz.2xlarge|x|8|65536|3.9|i|n|os|10000|4|15|evncr
r7iz.32xlarge|x|128|1048576|3.9|i|n|os|40000|15|50|evncr|1
r7iz.4xlarge|x|16|131072|3.9|i|n|os|10000|8|30|evncr
r7iz.8xlarge|x|32|262144|3.9|i|n|os|10000|8|30|evncr
r7iz.large|x|2|16384|3.9|i|n|os|10000|3|10|evcr
r7iz.metal-16xl|x|64|524288|3.9|i|m|os|20000|15|50|ecr
r7iz.metal-32xl|x|128|1048576|3.9|i|m|os|40000|15|50|ecr|1
r7iz.xlarge|x|4|32768|3.9|i|n|os|10000|4|15|evncr
r8a.12xlarge|x|48|393216|4.5|a|n|os|15000|12|64|encr
r8a.16xlarge|x|64|524288|4.5|a|n|os|20000|16|64|encr
r8a.24xlarge|x|96|786432|4.5|a|n|os|30000|16|64|encr
r8a.2xlarge|x|8|65536|4.5|a|n|os|10000|4|40|encr
r8a.48xlarge|x|192|1572864|4.5|a|n|os|60000|24|64|encr|1
r8a.4xlarge|x|16|131072|4.5|a|n|os|10000|8|40|encr
r8a.8xlarge|x|32|262144|4.5|a|n|os|10000|10|40|encr
r8a.large|x|2|16384|4.5|a|n|os|10000|3|20|encr
r8a.medium|x|1|8192|4.5|a|n|os|10000|2|4|ecr
r8a.metal-24xl|x|96|786432|4.5|a|m|os|30000|16|64|ecr
r8a.metal-48xl|x|192|1572864|4.5|a|m|os|60000|24|64|ecr|1
r8a.xlarge|x|4|32768|4.5|a|n|os|10000|4|20|encr
r8g.12xlarge|a|48|393216|2.8|w|n|os|15000|8|30|encr
r8g.16xlarge|a|64|524288|2.8|w|n|os|20000|15|50|encr
r8g.24xlarge|a|96|786432|2.8|w|n|os|30000|15|50|encr|1
r8g.2xlarge|a|8|65536|2.8|w|n|os|10000|4|15|encr
r8g.48xlarge|a|192|1572864|2.7|w|n|os|40000|15|50|encr|1
r8g.4xlarge|a|16|131072|2.8|w|n|os|10000|8|30|encr
r8g.8xlarge|a|32|262144|2.8|w|n|os|10000|8|30|encr
r8g.large|a|2|16384|2.8|w|n|os|10000|3|10|encr
r8g.medium|a|1|8192|2.8|w|n|os|10000|2|4|ecr
r8g.metal-24xl|a|96|786432|2.8|w|m|os|30000|15|50|ecr|1
r8g.metal-48xl|a|192|1572864|2.7|w|m|os|40000|15|50|ecr|1
r8g.xlarge|a|4|32768|2.8|w|n|os|10000|4|15|encr
r8gb.12xlarge|a|48|393216|2.8|w|n|os|75000|12|30|encr
r8gb.16xlarge|a|64|524288|2.8|w|n|os|100000|16|50|encr|1
r8gb.24xlarge|a|96|786432|2.8|w|n|os|150000|24|50|encr|1
r8gb.2xlarge|a|8|65536|2.8|w|n|os|25000|4|15|encr
r8gb.48xlarge|a|192|1572864|2.7|w|n|os|300000|12+12|50|encr|2
r8gb.4xlarge|a|16|131072|2.8|w|n|os|25000|8|30|encr
r8gb.8xlarge|a|32|262144|2.8|w|n|os|50000|10|30|encr
r8gb.large|a|2|16384|2.8|w|n|os|25000|3|10|encr
r8gb.medium|a|1|8192|2.8|w|n|os|25000|2|4|ecr
r8gb.metal-24xl|a|96|786432|2.8|w|m|os|150000|24|50|ecr|1
r8gb.metal-48xl|a|192|1572864|2.7|w|m|os|300000|12+12|50|ecr|2
r8gb.xlarge|a|4|32768|2.8|w|n|os|25000|4|15|encr
r8gd.12xlarge|a|48|393216|2.8|w|n|os|15000|8|30|encr||2850n
r8gd.16xlarge|a|64|524288|2.8|w|n|os|20000|15|50|encr||3800n
r8gd.24xlarge|a|96|786432|2.8|w|n|os|30000|15|50|encr|1|5700n
r8gd.2xlarge|a|8|65536|2.8|w|n|os|10000|4|15|encr||474n
r8gd.48xlarge|a|192|1572864|2.7|w|n|os|40000|15|50|encr|1|11400n
r8gd.4xlarge|a|16|131072|2.8|w|n|os|10000|8|30|encr||950n
r8gd.8xlarge|a|32|262144|2.8|w|n|os|10000|8|30|encr||1900n
r8gd.large|a|2|16384|2.8|w|n|os|10000|3|10|encr||118n
r8gd.medium|a|1|8192|2.8|w|n|os|10000|2|4|ecr||59n
r8gd.metal-24xl|a|96|786432|2.8|w|m|os|30000|15|50|ecr|1|5700n
r8gd.metal-48xl|a|192|1572864|2.7|w|m|os|40000|15|50|ecr|1|11400n
r8gd.xlarge|a|4|32768|2.8|w|n|os|10000|4|15|encr||237n
r8gn.12xlarge|a|48|393216|2.8|w|n|os|30000|12|30|encr
r8gn.16xlarge|a|64|524288|2.8|w|n|os|40000|16|50|encr|1
r8gn.24xlarge|a|96|786432|2.8|w|n|os|60000|24|50|encr|1
r8gn.2xlarge|a|8|65536|2.8|w|n|os|10000|4|15|encr
r8gn.48xlarge|a|192|1572864|2.7|w|n|os|120000|12+12|50|encr|2
r8gn.4xlarge|a|16|131072|2.8|w|n|os|10000|8|30|encr
r8gn.8xlarge|a|32|262144|2.8|w|n|os|20000|10|30|encr
r8gn.large|a|2|16384|2.8|w|n|os|10000|3|10|encr
r8gn.medium|a|1|8192|2.8|w|n|os|10000|2|4|ecr
r8gn.metal-24xl|a|96|786432|2.8|w|m|os|60000|24|50|ecr|1
r8gn.metal-48xl|a|192|1572864|2.7|w|m|os|120000|12+12|50|ecr|2
r8gn.xlarge|a|4|32768|2.8|w|n|os|10000|4|15|encr
r8i-flex.12xlarge|x|48|393216|3.9|i|n|os|15000|12|50|evr
r8i-flex.16xlarge|x|64|524288|3.9|i|n|os|20000|16|64|evr
r8i-flex.2xlarge|x|8|65536|3.9|i|n|os|10000|4|30|evr
r8i-flex.4xlarge|x|16|131072|3.9|i|n|os|10000|8|50|evr
r8i-flex.8xlarge|x|32|262144|3.9|i|n|os|10000|10|50|evr
r8i-flex.large|x|2|16384|3.9|i|n|os|10000|3|20|evr
r8i-flex.xlarge|x|4|32768|3.9|i|n|os|10000|4|30|evr
r8i.12xlarge|x|48|393216|3.9|i|n|os|15000|12|50|evncr
r8i.16xlarge|x|64|524288|3.9|i|n|os|20000|16|64|evncr
r8i.24xlarge|x|96|786432|3.9|i|n|os|30000|16|64|evncr
r8i.2xlarge|x|8|65536|3.9|i|n|os|10000|4|30|evncr
r8i.32xlarge|x|128|1048576|3.9|i|n|os|40000|24|64|evncr
r8i.48xlarge|x|192|1572864|3.9|i|n|os|60000|24|64|evncr|1
r8i.4xlarge|x|16|131072|3.9|i|n|os|10000|8|50|evncr
r8i.8xlarge|x|32|262144|3.9|i|n|os|10000|10|50|evncr
r8i.96xlarge|x|384|3145728|3.9|i|n|os|80000|24|64|evncr|1
r8i.large|x|2|16384|3.9|i|n|os|10000|3|20|evcr
r8i.metal-48xl|x|192|1572864|3.9|i|m|os|60000|24|64|ecr|1
r8i.metal-96xl|x|384|3145728|3.9|i|m|os|80000|24|64|ecr|1
r8i.xlarge|x|4|32768|3.9|i|n|os|10000|4|30|evncr
r8ib.12xlarge|x|48|393216|3.9|i|n|os|37500|12|50|encr
r8ib.16xlarge|x|64|524288|3.9|i|n|os|50000|16|64|encr
r8ib.24xlarge|x|96|786432|3.9|i|n|os|75000|16|64|encr
r8ib.2xlarge|x|8|65536|3.9|i|n|os|25000|4|30|encr
r8ib.32xlarge|x|128|1048576|3.9|i|n|os|100000|16|64|encr
r8ib.48xlarge|x|192|1572864|3.9|i|n|os|150000|24|64|encr|1
r8ib.4xlarge|x|16|131072|3.9|i|n|os|25000|8|50|encr
r8ib.8xlarge|x|32|262144|3.9|i|n|os|25000|8|50|encr
r8ib.96xlarge|x|384|3145728|3.9|i|n|os|300000|12+12|64|encr|2
r8ib.large|x|2|16384|3.9|i|n|os|25000|4|20|ecr
r8ib.metal-48xl|x|192|1572864|3.9|i|m|os|150000|24|64|ecr|1
r8ib.metal-96xl|x|384|3145728|3.9|i|m|os|300000|12+12|64|ecr|2
r8ib.xlarge|x|4|32768|3.9|i|n|os|25000|4|30|encr
r8id.12xlarge|x|48|393216|3.9|i|n|os|15000|12|50|evncr||2850n
r8id.16xlarge|x|64|524288|3.9|i|n|os|20000|16|64|evncr||3800n
r8id.24xlarge|x|96|786432|3.9|i|n|os|30000|16|64|evncr||5700n
r8id.2xlarge|x|8|65536|3.9|i|n|os|10000|4|30|evncr||474n
r8id.32xlarge|x|128|1048576|3.9|i|n|os|40000|24|64|evncr||7600n
r8id.48xlarge|x|192|1572864|3.9|i|n|os|60000|24|64|evncr|1|11400n
r8id.4xlarge|x|16|131072|3.9|i|n|os|10000|8|50|evncr||950n
r8id.8xlarge|x|32|262144|3.9|i|n|os|10000|10|50|evncr||1900n
r8id.96xlarge|x|384|3145728|3.9|i|n|os|80000|24|64|evncr|1|22800n
r8id.large|x|2|16384|3.9|i|n|os|10000|3|20|evcr||118n
r8id.metal-48xl|x|192|1572864|3.9|i|m|os|60000|24|64|ecr|1|11400n
r8id.metal-96xl|x|384|3145728|3.9|i|m|os|80000|24|64|ecr|1|22800n
r8id.xlarge|x|4|32768|3.9|i|n|os|10000|4|30|evncr||237n
r8idb.12xlarge|x|48|393216|3.9|i|n|os|37500|12|50|encr||2850n
r8idb.16xlarge|x|64|524288|3.9|i|n|os|50000|16|64|encr||3800n
r8idb.24xlarge|x|96|786432|3.9|i|n|os|75000|16|64|encr||5700n
r8idb.2xlarge|x|8|65536|3.9|i|n|os|25000|4|30|encr||474n
r8idb.32xlarge|x|128|1048576|3.9|i|n|os|100000|16|64|encr||7600n
r8idb.48xlarge|x|192|1572864|3.9|i|n|os|150000|24|64|encr|1|11400n
r8idb.4xlarge|x|16|131072|3.9|i|n|os|25000|8|50|encr||950n
r8idb.8xlarge|x|32|262144|3.9|i|n|os|25000|8|50|encr||1900n
r8idb.96xlarge|x|384|3145728|3.9|i|n|os|300000|12+12|64|encr|2|22800n
r8idb.large|x|2|16384|3.9|i|n|os|25000|4|20|ecr||118n
r8idb.metal-48xl|x|192|1572864|3.9|i|m|os|150000|24|64|ecr|1|11400n
r8idb.metal-96xl|x|384|3145728|3.9|i|m|os|300000|12+12|64|ecr|2|22800n
r8idb.xlarge|x|4|32768|3.9|i|n|os|25000|4|30|encr||237n
r8idn.12xlarge|x|48|393216|3.9|i|n|os|15000|12|50|encr||2850n
r8idn.16xlarge|x|64|524288|3.9|i|n|os|20000|16|64|encr||3800n
r8idn.24xlarge|x|96|786432|3.9|i|n|os|30000|16|64|encr||5700n
r8idn.2xlarge|x|8|65536|3.9|i|n|os|10000|4|30|encr||474n
r8idn.32xlarge|x|128|1048576|3.9|i|n|os|40000|16|64|encr||7600n
r8idn.48xlarge|x|192|1572864|3.9|i|n|os|60000|24|64|encr|1|11400n
r8idn.4xlarge|x|16|131072|3.9|i|n|os|10000|8|50|encr||950n
r8idn.8xlarge|x|32|262144|3.9|i|n|os|10000|8|50|encr||1900n
r8idn.96xlarge|x|384|3145728|3.9|i|n|os|120000|12+12|64|encr|2|22800n
r8idn.large|x|2|16384|3.9|i|n|os|10000|4|20|ecr||118n
r8idn.metal-48xl|x|192|1572864|3.9|i|m|os|60000|24|64|ecr|1|11400n
r8idn.metal-96xl|x|384|3145728|3.9|i|m|os|120000|12+12|64|ecr|2|22800n
r8idn.xlarge|x|4|32768|3.9|i|n|os|10000|4|30|encr||237n
r8in.12xlarge|x|48|393216|3.9|i|n|os|15000|12|50|encr
r8in.16xlarge|x|64|524288|3.9|i|n|os|20000|16|64|encr
r8in.24xlarge|x|96|786432|3.9|i|n|os|30000|16|64|encr
r8in.2xlarge|x|8|65536|3.9|i|n|os|10000|4|30|encr
r8in.32xlarge|x|128|1048576|3.9|i|n|os|40000|16|64|encr
r8in.48xlarge|x|192|1572864|3.9|i|n|os|60000|24|64|encr|1
r8in.4xlarge|x|16|131072|3.9|i|n|os|10000|8|50|encr
r8in.8xlarge|x|32|262144|3.9|i|n|os|10000|8|50|encr
r8in.96xlarge|x|384|3145728|3.9|i|n|os|120000|12+12|64|encr|2
r8in.large|x|2|16384|3.9|i|n|os|10000|4|20|ecr
r8in.metal-48xl|x|192|1572864|3.9|i|m|os|60000|24|64|ecr|1
r8in.metal-96xl|x|384|3145728|3.9|i|m|os|120000|12+12|64|ecr|2
r8in.xlarge|x|4|32768|3.9|i|n|os|10000|4|30|encr
r9g.12xlarge|a|48|393216|3.3|w|n|os|18000|12|50|encr
r9g.16xlarge|a|64|524288|3.3|w|n|os|24000|16|64|encr
r9g.24xlarge|a|96|786432|3.3|w|n|os|36000|24|64|encr
r9g.2xlarge|a|8|65536|3.3|w|n|os|12000|4|30|encr
r9g.48xlarge|a|192|1572864|3.3|w|n|os|72000|24|64|encr|1
r9g.4xlarge|a|16|131072|3.3|w|n|os|12000|8|50|encr
r9g.8xlarge|a|32|262144|3.3|w|n|os|12000|10|50|encr
r9g.large|a|2|16384|3.3|w|n|os|12000|3|20|encr
r9g.medium|a|1|8192|3.3|w|n|os|12000|2|20|ecr
r9g.metal-48xl|a|192|1572864|3.3|w|m|os|72000|24|64|ecr|1
r9g.xlarge|a|4|32768|3.3|w|n|os|12000|4|30|encr
r9gd.12xlarge|a|48|393216|3.3|w|n|os|18000|12|50|encr||2850n
r9gd.16xlarge|a|64|524288|3.3|w|n|os|24000|16|64|encr||3800n
r9gd.24xlarge|a|96|786432|3.3|w|n|os|36000|24|64|encr||5700n
r9gd.2xlarge|a|8|65536|3.3|w|n|os|12000|4|30|encr||474n
r9gd.48xlarge|a|192|1572864|3.3|w|n|os|72000|24|64|encr|1|11400n
r9gd.4xlarge|a|16|131072|3.3|w|n|os|12000|8|50|encr||950n
r9gd.8xlarge|a|32|262144|3.3|w|n|os|12000|10|50|encr||1900n
r9gd.large|a|2|16384|3.3|w|n|os|12000|3|20|encr||118n
r9gd.medium|a|1|8192|3.3|w|n|os|12000|2|20|ecr||59n
r9gd.metal-48xl|a|192|1572864|3.3|w|m|os|72000|24|64|ecr|1|11400n
r9gd.xlarge|a|4|32768|3.3|w|n|os|12000|4|30|encr||237n
t1.micro|i|1|627||i|x|os|u|2|2
t2.2xlarge|x|8|32768|2.3|i|x|os|u|3|15
t2.large|x|2|8192|2.3|i|x|os|u|3|12
t2.medium|i|2|4096|2.3|i|x|os|u|3|6
t2.micro|i|1|1024|2.5|i|x|os|u|2|2
t2.nano|i|1|512|2.4|i|x|o|u|2|2
t2.small|i|1|2048|2.5|i|x|os|u|3|4
t2.xlarge|x|4|16384|2.3|i|x|os|u|3|15
t3.2xlarge|x|8|32768|2.5|i|n|os|2780|4|15|r
t3.large|x|2|8192|2.5|i|n|os|2780|3|12|r
t3.medium|x|2|4096|2.5|i|n|os|2085|3|6|r
t3.micro|x|2|1024|2.5|i|n|os|2085|2|2|r
t3.nano|x|2|512|2.5|i|n|os|2085|2|2|r
t3.small|x|2|2048|2.5|i|n|os|2085|3|4|r
t3.xlarge|x|4|16384|2.5|i|n|os|2780|4|15|r
t3a.2xlarge|x|8|32768|2.2|a|n|os|2780|4|15|r
t3a.large|x|2|8192|2.2|a|n|os|2780|3|12|r
t3a.medium|x|2|4096|2.2|a|n|os|2085|3|6|r
t3a.micro|x|2|1024|2.2|a|n|os|2085|2|2|r
t3a.nano|x|2|512|2.2|a|n|os|2085|2|2|r
t3a.small|x|2|2048|2.2|a|n|os|2085|2|4|r
t3a.xlarge|x|4|16384|2.2|a|n|os|2780|4|15|r
t4g.2xlarge|a|8|32768|2.5|w|n|os|2780|4|15|r
t4g.large|a|2|8192|2.5|w|n|os|2780|3|12|r
t4g.medium|a|2|4096|2.5|w|n|os|2085|3|6|r
t4g.micro|a|2|1024|2.5|w|n|os|2085|2|2|r
t4g.nano|a|2|512|2.5|w|n|os|2085|2|2|r
t4g.small|a|2|2048|2.5|w|n|os|2085|3|4|r
t4g.xlarge|a|4|16384|2.5|w|n|os|2780|4|15|r
t8i.medium|x|2|4096|3.9|i|n|os|5000|3|6|er
t8i.micro|x|2|1024|3.9|i|n|os|5000|2|2|er
t8i.nano|x|2|512|3.9|i|n|os|5000|2|2|er
t8i.small|x|2|2048|3.9|i|n|os|5000|3|4|er
trn1.2xlarge|x|8|32768|3.5|i|n|os|20000|4|15|ecr||474n||neuron:Trainium*1@2
trn1.32xlarge|x|128|524288|3.5|i|n|osc|80000|5*8|50|ecr|8|7600n||neuron:Trainium*16@2
trn1n.32xlarge|x|128|524288|3.5|i|n|os|80000|5*16|50|ecr|16|7600n||neuron:Trainium*16@2
trn2.3xlarge|x|12|131072|3.5|i|n|osc|5000|2|15|encr|1|470n||neuron:Trainium2*1@8
trn2.48xlarge|x|192|2097152|3.5|i|n|osc|80000|2*16|50|encr|16|7600n||neuron:Trainium2*16@8
trn2u.48xlarge|x|192|2097152|3.5|i|n|oc|80000|2*16|50|encr|16|7600n
u-3tb1.56xlarge|x|224|3145728|2.1|i|n|o|19000|8|30|ecr
u-6tb1.112xlarge|x|448|6291456|2.1|i|n|o|38000|15|50|ecr
u-6tb1.56xlarge|x|224|6291456|2.1|i|n|o|38000|15|50|ecr
u7i-12tb.224xlarge|x|896|12582912|1.9|i|n|o|100000|15|50|ecr|1
u7i-6tb.112xlarge|x|448|6291456|1.9|i|n|o|100000|15|50|ecr|1
u7i-8tb.112xlarge|x|448|8388608|1.9|i|n|o|100000|15|50|ecr|1
u7in-16tb.224xlarge|x|896|16777216|1.9|i|n|o|100000|8+8|50|ecr|2
u7in-24tb.224xlarge|x|896|25165824|1.9|i|n|o|100000|8+8|50|ecr|2
u7in-32tb.224xlarge|x|896|33554432|1.9|i|n|o|100000|8+8|50|ecr|2
vt1.24xlarge|x|96|196608|2.5|i|n|os|19000|15|50|er|1
vt1.3xlarge|x|12|24576|2.5|i|n|os|4750|4|15|er
vt1.6xlarge|x|24|49152|2.5|i|n|os|4750|8|30|er
x1.16xlarge|x|64|999424|2.3|i|x|os|7000|8|30|cs||1920
x1.32xlarge|x|128|1998848|2.3|i|x|os|14000|8|30|cs||3840
x1e.16xlarge|x|64|1998848|2.3|i|x|os|7000|8|30|cs||1920
x1e.2xlarge|x|8|249856|2.3|i|x|os|1000|4|15|cs||240
x1e.32xlarge|x|128|3997696|2.3|i|x|os|14000|8|30|cs||3840
x1e.4xlarge|x|16|499712|2.3|i|x|os|1750|4|15|cs||480
x1e.8xlarge|x|32|999424|2.3|i|x|os|3500|4|15|cs||960
x1e.xlarge|x|4|124928|2.3|i|x|os|500|3|10|cs||120
x2gd.12xlarge|a|48|786432|2.5|w|n|os|14250|8|30|ncr||2850n
x2gd.16xlarge|a|64|1048576|2.5|w|n|os|19000|15|50|ncr||3800n
x2gd.2xlarge|a|8|131072|2.5|w|n|os|4750|4|15|ncr||475n
x2gd.4xlarge|a|16|262144|2.5|w|n|os|4750|8|30|ncr||950n
x2gd.8xlarge|a|32|524288|2.5|w|n|os|9500|8|30|ncr||1900n
x2gd.large|a|2|32768|2.5|w|n|os|4750|3|10|ncr||118n
x2gd.medium|a|1|16384|2.5|w|n|os|4750|2|4|cr||59n
x2gd.metal|a|64|1048576|2.5|w|m|os|19000|15|50|cr||3800n
x2gd.xlarge|a|4|65536|2.5|w|n|os|4750|4|15|ncr||237n
x2idn.16xlarge|x|64|1048576|3.5|i|n|os|40000|15|50|encr||1900n
x2idn.24xlarge|x|96|1572864|3.5|i|n|os|60000|15|50|encr||2850n
x2idn.32xlarge|x|128|2097152|3.5|i|n|os|80000|15|50|encr|1|3800n
x2idn.metal|x|128|2097152|3.5|i|m|os|80000|15|50|ecr|1|3800n
x2iedn.16xlarge|x|64|2097152|3.5|i|n|os|40000|15|50|encr||1900n
x2iedn.24xlarge|x|96|3145728|3.5|i|n|os|60000|15|50|encr||2850n
x2iedn.2xlarge|x|8|262144|3.5|i|n|os|20000|4|15|encr||237n
x2iedn.32xlarge|x|128|4194304|3.5|i|n|os|80000|15|50|encr|1|3800n
x2iedn.4xlarge|x|16|524288|3.5|i|n|os|20000|8|30|encr||475n
x2iedn.8xlarge|x|32|1048576|3.5|i|n|os|20000|8|30|encr||950n
x2iedn.metal|x|128|4194304|3.5|i|m|os|80000|15|50|ecr|1|3800n
x2iedn.xlarge|x|4|131072|3.5|i|n|os|20000|4|15|encr||118n
x2iezn.12xlarge|x|48|1572864|4.5|i|n|os|19000|15|50|encr|1
x2iezn.2xlarge|x|8|262144|4.5|i|n|os|3170|4|15|encr
x2iezn.4xlarge|x|16|524288|4.5|i|n|os|4750|8|30|encr
x2iezn.6xlarge|x|24|786432|4.5|i|n|os|9500|8|30|encr
x2iezn.8xlarge|x|32|1048576|4.5|i|n|os|12000|8|30|encr
x2iezn.metal|x|48|1572864|4.5|i|m|os|19000|15|50|ecr|1
x8aedz.12xlarge|x|48|1572864|5|a|n|os|30000|16|64|encr||3800n
x8aedz.24xlarge|x|96|3145728|5|a|n|os|60000|16|64|encr|1|7600n
x8aedz.3xlarge|x|12|393216|5|a|n|os|15000|8|40|encr||950n
x8aedz.6xlarge|x|24|786432|5|a|n|os|15000|8|40|encr||1900n
x8aedz.large|x|2|65536|5|a|n|os|15000|4|20|encr||158n
x8aedz.metal-12xl|x|48|1572864|5|a|m|os|30000|16|64|ecr||3800n
x8aedz.metal-24xl|x|96|3145728|5|a|m|os|60000|16|64|ecr|1|7600n
x8aedz.xlarge|x|4|131072|5|a|n|os|15000|4|20|encr||316n
x8g.12xlarge|a|48|786432|2.8|w|n|os|15000|8|30|encr
x8g.16xlarge|a|64|1048576|2.8|w|n|os|20000|15|50|encr
x8g.24xlarge|a|96|1572864|2.8|w|n|os|30000|15|50|encr|1
x8g.2xlarge|a|8|131072|2.8|w|n|os|10000|4|15|encr
x8g.48xlarge|a|192|3145728|2.7|w|n|os|40000|15|50|encr|1
x8g.4xlarge|a|16|262144|2.8|w|n|os|10000|8|30|encr
x8g.8xlarge|a|32|524288|2.8|w|n|os|10000|8|30|encr
x8g.large|a|2|32768|2.8|w|n|os|10000|3|10|encr
x8g.medium|a|1|16384|2.8|w|n|os|10000|2|4|ecr
x8g.metal-24xl|a|96|1572864|2.8|w|m|os|30000|15|50|ecr|1
x8g.metal-48xl|a|192|3145728|2.7|w|m|os|40000|15|50|ecr|1
x8g.xlarge|a|4|65536|2.8|w|n|os|10000|4|15|encr
x8i.12xlarge|x|48|786432|3.9|i|n|os|15000|12|50|evncr
x8i.16xlarge|x|64|1048576|3.9|i|n|os|20000|16|64|evncr
x8i.24xlarge|x|96|1572864|3.9|i|n|os|30000|16|64|evncr
x8i.2xlarge|x|8|131072|3.9|i|n|os|10000|4|30|evncr
x8i.32xlarge|x|128|2097152|3.9|i|n|os|40000|24|64|evncr
x8i.48xlarge|x|192|3145728|3.9|i|n|os|60000|24|64|evncr|1
x8i.4xlarge|x|16|262144|3.9|i|n|os|10000|8|50|evncr
x8i.64xlarge|x|256|4194304|3.9|i|n|os|70000|24|64|evncr|1
x8i.8xlarge|x|32|524288|3.9|i|n|os|10000|10|50|evncr
x8i.96xlarge|x|384|6291456|3.9|i|n|os|80000|24|64|evncr|1
x8i.large|x|2|32768|3.9|i|n|os|10000|3|20|evcr
x8i.metal-48xl|x|192|3145728|3.9|i|m|os|60000|24|64|ecr|1
x8i.metal-96xl|x|384|6291456|3.9|i|m|os|80000|24|64|ecr|1
x8i.xlarge|x|4|65536|3.9|i|n|os|10000|4|30|evncr
z1d.12xlarge|x|48|393216|4|i|n|os|19000|15|50|ncr||1800n
z1d.2xlarge|x|8|65536|4|i|n|os|3170|4|15|ncr||300n
z1d.3xlarge|x|12|98304|4|i|n|os|4750|8|30|ncr||450n
z1d.6xlarge|x|24|196608|4|i|n|os|9500|8|30|ncr||900n
z1d.large|x|2|16384|4|i|n|os|3170|3|10|cr||75n
z1d.metal|x|48|393216|4|i|m|os|19000|15|50|cr||1800n
z1d.xlarge|x|4|32768|4|i|n|os|3170|4|15|ncr||150n
`;

export const ZONES: Readonly<Record<string, { readonly zones: string; readonly sold: string }>> = {
  'af-south-1': {
    zones: 'abc',
    sold: '0~17~7~40~0~10~6~8~7~8~0~7~7~9~0~9~7~9~0~11~7~8~0~17~3~6~7~10~0~11~7~11~0~23~7~8~007~20~0~66~77770~13~6~6~0~66~7~13~0~5~7~31~0~27~70030~26~7~8~0~15~7~8~0~35~7~8~3~8~7~9~0~41~7~8~0~15~7~10~0~20~7~11~0~35~7~19~0~112~7~8~0~24~7~26~0~10~7~37~0~31~7~17~0~32~7~11~0~11~6~11~0~11~7~19~0~94~7~6~0~6~7~6~0~10~550~8~3~7~0~8~7~11~0~46~',
  },
  'ap-east-1': {
    zones: 'abc',
    sold: '0~17~7~16~0~8~70777707~7~5~10~7~8~0~8~7~17~0~9~7~9~0~11~7~8~0~17~7~17~0~11~7~11~0~23~3~8~0030~86~77770~13~7~6~3~7~0~58~7~13~0~5~7~31~0~10~7~10~0~5~66660~26~7~8~0~15~7~8~0~35~7~27~0~41~7~8~0~8~7~17~0~20~7~11~0~168~7~8~0~24~7~8~0~8~7~8~0~10~7~8~0~8~7~9~0~41~7~17~0~32~7~11~0~11~5~11~0~126~7~6~0~6~7~6~0~9~30~10~330~14~33330~54~',
  },
  'ap-northeast-1': {
    zones: 'acd',
    sold: '5~5~3~6~7~13~3~7~0~7~7~163~0~11~7~20~007~20~0~12~7~61~3~5~04447~6~3~7~6~5~3~19~0~5~3~8~0~9~111133337~13~0~5~7~63~33337~5~3~10~7~55~57~157~0~11~7~11~0~11~7~29~007~23~007~10~007~10~0070~5~7~21~133320100333337~22~5~7~7~179~0~11~7~11~0~11~7~29~007~23~007~10~007~10~0070~21~37~13~5~6~7~10~0~5~777030000111773~5~0~8~7~17~2~7~0~11~6~13~7~6~',
  },
  'ap-northeast-2': {
    zones: 'abcd',
    sold: '0~12~55555F~8~7~7~0~7~F~8~7~6~0~10~F~8~7~16~F~9~7~9~F~9~0~11~F~8~5~8~0~8~A~6~F~10~0~11~F~11~0~23~F~8~00F~20~0~66~77770~10~8887~6~D~7~5~5~D~7~3~7~DDDD0~5~3~5~99D0~13~5555F~13~0~5~7~9~F~21~7~21~0~5~555500070~16~5~5~F~8~5~15~F~8~0~17~5~6~0~10~F~8~B~8~F~9~D~9~F~19~0~11~F~8~B~8~F~17~0~20~F~11~0~35~F~19~0~93~A01001045~10~F~8~5~15~7~8~F~8~5~8~F~8~0~10~F~8~3~8~F~19~0~31~F~28~0~21~7~11~0~11~B~11~0~11~F~19~0~87~5~6~F~6~5~6~F~10~0~6~553733700005~7~0~8~7~11~0~5~1~7~0~11~B~13~5~6~',
  },
  'ap-northeast-3': {
    zones: 'abc',
    sold: '0~12~111117~8~0~15~676777767~7~0~10~7~35~0~9~7~9~0~11~7~8~3~8~0~15~7~10~0~11~7~11~0~122~11110~13~6~6~0~21~6~7~0~36~7~5~6~7~0~5~7~20~0~10~7~10~0~42~111117~8~0~15~7~8~0~35~7~27~0~41~7~8~0~8~7~17~0~20~7~11~0~162~1~5~7~8~0~24~7~8~0~28~7~8~6~8~7~9~0~41~7~28~0~21~7~11~0~11~3~11~0~119~1~6~7~6~0~6~7~6~0~10~220~8~1~7~0~8~7~11~0~46~',
  },
  'ap-south-1': {
    zones: 'abc',
    sold: '6~5~0~6~333337~16~0~7~7~62~0~9~7~9~0~11~7~17~0~8~7~17~0~11~7~11~0~23~7~8~007~20~0~12~7~12~0~40~7~7~0~9~7~6~3~7~0~5~3~19~0~5~3~8~0~13~33337~13~0~5~7~63~33335~5~0~10~3~5~7~33~0~24~7~68~0~11~7~47~0~8~7~11~0~11~7~11~0~11~7~19~0~12~7~12~0~67~707703403~10~7~24~0~8~7~8~0~8~7~57~0~31~7~28~0~21~7~11~0~11~7~11~0~11~7~19~0~12~7~12~0~61~3~6~7~24~040000077733300000773~5~0~8~77773~7~0~5~1~7~0~11~3~20~',
  },
  'ap-south-2': {
    zones: 'abc',
    sold: '0~17~7~8~0~15~7~8~0~6~7~19~0~16~7~9~0~9~7~9~0~11~7~8~0~17~7~17~0~11~7~11~0~23~7~8~007~20~0~105~3~15~0~36~7~13~0~5~7~31~0~58~7~8~0~15~7~8~0~24~7~38~0~9~7~19~0~11~7~8~0~8~7~29~0~8~7~11~0~35~7~19~0~99~250~10~7~8~0~24~7~8~0~17~7~19~0~8~7~9~0~29~3~11~7~28~0~21~7~11~0~35~7~19~0~94~7~6~0~6~7~10~0007770113130~22~3~11~0~46~',
  },
  'ap-southeast-1': {
    zones: 'abc',
    sold: '3~12~7~21~6~7~7~112~0~8~7~17~0~11~7~11~0~11~3~11~7~8~007~20~0~25~7~9~0070~27~7~7~3~5~00007~6~0~7~3~5~0~38~10~8~33337~16~37~65~66667~5~3~10~7~57~3~6~7~68~0~11~7~35~0~20~7~11~0~35~7~19~0~70~7~21~0060~5~333337~66~3~10~7~57~0~11~7~28~0~21~7~11~0~11~6~11~0~11~7~19~0~86~37~31~0~5~777333700000773~5~0~8~77773~7~0~25~7~20~',
  },
  'ap-southeast-2': {
    zones: 'abc',
    sold: '6~5~337~117~0~11~7~17~0~8~7~17~0~11~7~11~0~11~7~20~007~20~0~12~7~22~0070~27~7~13~02227~6~6~7~0~5~7~7~0~7~66660~11~666000020~8~7~87~33337~5~3~6~7~43~0~17~6~6~7~116~0~20~7~11~0~11~7~11~0~11~7~19~0~70~7~21~0607110007~140~0~11~7~28~0~21~7~11~0~11~7~11~0~11~7~19~0~12~7~12~0~60~37~31~0600003773607000006~7~0~8~7~11~0~13~7~32~',
  },
  'ap-southeast-3': {
    zones: 'abc',
    sold: '0~17~7~8~0~15~7~15~0~10~7~25~0~19~7~9~0~11~7~8~5~8~0~8~7~17~0~11~7~11~0~23~7~8~0070~94~3~5~0~10~5~7~000010~26~2~5~0~20~7~13~0~5~7~31~5~10~0~47~7~8~0~15~7~8~0~35~7~27~0~41~7~8~0~10~7~15~0~20~7~11~0~151~1156070~10~7~8~0~24~7~8~0~28~7~17~0~51~7~28~0~21~7~11~0~11~6~11~0~126~7~6~0~6~7~6~0~10~55030~23~77775~7~0~46~',
  },
  'ap-southeast-4': {
    zones: 'abc',
    sold: '0~17~7~8~0~15~7~8~0~17~7~8~0~36~7~9~0~45~7~10~0~11~7~11~0~23~7~8~0070~178~7~13~0~5~7~31~0~58~7~8~0~15~7~8~0~35~7~17~0~51~7~8~0~8~7~17~0~20~7~11~0~11~6~11~0~144~7~8~0~24~7~8~0~28~7~8~0~60~7~8~0~8~7~10~0~21~7~11~0~11~7~11~0~126~7~6~0~6~7~6~000001040~30~77770~54~',
  },
  'ap-southeast-5': {
    zones: 'abc',
    sold: '0~69~7~8~0~8~7~37~0~11~7~17~0~8~7~17~0~11~7~11~0~11~7~20~007~20~0~25~7~9~0070~66~3~7~0~23~330~24~7~7~0~5~7~31~0~10~7~10~0~106~7~37~0~31~7~35~0~20~7~11~0~11~7~11~0~11~7~19~0~184~7~8~0~8~7~19~0~31~7~28~0~21~7~11~0~11~7~11~0~11~7~19~0~12~7~12~0~68~7~6~0~6~7~10~0~9~510~22~7~11~0~25~5~13~0~6~',
  },
  'ca-central-1': {
    zones: 'abd',
    sold: '0~12~333337~16~0~7~7~62~3~9~7~9~0~11~7~8~5~8~0~8~7~17~0~11~7~11~0~11~7~20~007~20~0~12~5~12~0~40~333377770~6~4443~14~0~5~7~7~0~7~33330~11~3330~17~7~79~333300007~5~0~10~3~5~7~16~3~7~7~8~0~24~7~68~0~11~7~8~0~8~7~17~0~20~7~11~0~11~7~11~0~11~7~19~0~12~5~12~0~67~3040~9~3~5~7~8~3~15~7~17~0~8~7~8~3~10~7~27~0~9~3~19~0~11~7~8~0~8~7~10~0~9~3~11~7~11~0~11~7~11~0~11~7~19~0~12~5~12~0~61~3~6~7~6~3~6~7~10~0~5~777030~6~3~7~0~8~7~11~0~46~',
  },
  'ca-west-1': {
    zones: 'abc',
    sold: '0~17~7~8~0~42~7~8~0~8~7~37~0~11~7~8~0~24~3~10~0~11~3~11~0~23~3~8~0030~184~7~7~0~6~707~17~3~10~0~58~7~8~0~15~7~8~0~35~7~37~0~88~3~11~0~35~3~19~0~112~7~8~0~62~7~8~0~8~7~19~0~31~7~8~0~41~3~11~0~11~5~11~0~11~3~19~0~94~7~6~0~6~7~6~0~97~',
  },
  'eu-central-1': {
    zones: 'abc',
    sold: '3~5~00333337~142~0~8~7~41~0~11~7~20~007~20~0~12~7~22~007~42~46667~14~4~5~7~15~33335~5~3~8~0~13~33337~13~0~5~7~35~07~26~33337~5~0~6~33337~22~3~7~7~24~373~6~7~149~0~11~7~11~0~11~7~19~0~12~7~12~0~44~7~21~0750~5~333337~210~0~11~7~11~0~11~7~29~007~23~007~10~007~10~007~22~07~31~0~5~7~6~600007~7~0~8~7~11~0~13~7~32~',
  },
  'eu-central-2': {
    zones: 'abc',
    sold: '0~17~7~8~0~15~7~8~0~17~7~17~0~27~7~9~0~11~6~17~0~8~7~17~0~11~3~11~0~23~5~8~0050~90~77770~30~6~7~0~23~660~18~7~13~0~5~7~31~0~58~7~8~0~15~7~8~0~35~7~57~0~11~7~8~0~15~7~10~0~20~7~11~0~168~7~8~0~24~7~8~0~28~7~27~0~41~7~8~0~41~7~11~0~11~5~11~0~11~7~19~0~94~7~6~0~6~7~6~0~9~3333110~22~3~11~0~46~',
  },
  'eu-north-1': {
    zones: 'abc',
    sold: '0~17~7~16~0~7~7~15~0~10~7~35~0~9~7~39~0~8~7~17~0~11~7~11~0~23~7~8~0070~6~7~12~0~12~7~12~0~40~77770~13~7~6~6~7~0~5~3~25~5~5~33300002~5~000200007~13~0~5~7~53~0~5~555533330~22~7~8~0~15~7~8~0~35~7~27~0~9~7~67~0~20~7~11~0~68~5~12~0~67~40771520~11~7~8~0~15~6~8~7~8~6~8~7~8~0~10~7~8~3~8~7~9~0~9~7~60~0~21~7~11~0~11~6~11~0~11~5~6~7~12~0~12~5~12~0~68~7~6~0~6~7~6~0~10~33337010~20~7~11~0~5~4~7~7~25~0~6~',
  },
  'eu-south-1': {
    zones: 'abc',
    sold: '0~17~7~40~0~10~7~8~0~8~7~37~0~11~7~8~0~17~6~6~7~10~0~11~7~11~0~23~7~8~0070~86~77770~13~6~6~0~66~7~13~0~5~7~31~0~21~7~5~33330~26~7~16~0~7~7~8~0~24~7~38~3~9~0~56~7~10~0~20~7~11~0~168~7~16~0~7~7~35~0~10~7~8~0~8~7~9~0~41~7~28~0~21~7~11~0~11~6~11~0~11~7~19~0~94~7~20~0~9~3~5~0~22~7~11~0~25~7~13~0~6~',
  },
  'eu-south-2': {
    zones: 'abc',
    sold: '0~17~7~8~0~15~7~8~0~17~7~8~3~8~0~27~7~39~0~8~7~41~0~11~7~11~3~8~0037~19~0~12~7~22~0070~52~7~7~1~5~7~7~6~7~77773~11~7770~17~7~13~0~5~7~42~0~10~7~5~0~30~7~8~0~15~7~8~0~35~7~17~0~9~7~89~0~8~7~11~0~11~7~11~0~11~7~29~007~23~007~10~007~10~0070~33~30~12~7~8~0~24~7~8~0~28~7~17~0~9~7~9~0~19~7~40~0~9~7~23~0~11~7~11~0~11~7~29~007~23~007~10~007~10~0070~29~7~6~0~6~7~6~0~10~3310~24~3~11~0~25~3~13~0~6~',
  },
  'eu-west-1': {
    zones: 'abc',
    sold: '6~5~7~176~3~11~7~11~0~11~7~20~007~20~0~25~7~9~0070~27~7~13~00007~14~0~40~5555002~6~07~164~07~166~007~21~007~30~0076~12~5~9~005~10~0057~9~0070~5~7~21~640~6~7~191~6~11~7~11~0~11~7~11~0~11~7~29~007~13~5~9~005~10~0057~9~0070~21~7~32~0~5~7777677606667~28~6~5~4~7~7~32~',
  },
  'eu-west-2': {
    zones: 'abcd',
    sold: '0~12~7~21~0~7~7~62~D~9~7~21~F~8~7~8~8~8~F~17~0~11~F~11~0~11~7~20~007~20~0~66~777755550~6~5557~6~3~7~0~5~7~7~0~7~33330~5~5~5~3330~17~7~13~0~5~DFDF~6~7~10~F~10~7~8~07~21~11117~5~0~10~7~39~0~24~7~38~B~9~7~9~6~9~7~11~F~8~C~8~F~17~0~20~F~11~0~11~F~11~0~11~7~19~0~12~7~12~0~67~307710~7~7~48~0~8~7~28~5~8~7~9~F~9~0~31~F~28~0~21~F~11~0~11~F~11~0~11~7~19~0~12~6~12~0~61~7~6~F~6~7~6~F~6~77770~6~66045100000770~14~7~11~0~39~7~6~',
  },
  'eu-west-3': {
    zones: 'abc',
    sold: '0~17~7~8~5~7~0~8~70777707~7~0~10~7~35~6~9~7~9~0~11~7~8~3~8~0~8~7~17~0~11~7~11~0~23~3~8~0037~19~0~66~7~7~0~9~7~14~0~5~6~7~0~23~660~5~111110~7~7~13~0~5~7~59~555566667~5~0~16~7~33~0~24~7~38~0~41~7~35~0~20~7~11~0~11~3~11~0~11~7~19~0~99~10~5~7~30~0~8~7~8~3~8~7~8~0~10~7~27~0~9~7~19~0~11~7~28~0~21~7~11~0~11~6~11~0~11~7~19~0~87~7~31~0~5~177551150000770~14~7~11~0~25~7~13~0~6~',
  },
  'il-central-1': {
    zones: 'abc',
    sold: '0~17~7~8~0~15~7~8~0~17~7~8~0~8~7~37~0~11~7~8~0~24~5~10~0~11~7~11~0~126~77770~16~7~7~0~58~7~13~0~6~707~6~5~10~0~69~7~8~0~15~7~8~0~35~7~37~0~31~7~8~0~15~7~10~0~183~70~16~7~8~0~24~7~8~0~28~7~8~0~8~7~19~0~31~7~17~0~87~7~12~0~94~7~20~0~10~220~25~55550~54~',
  },
  'me-central-1': {
    zones: 'abc',
    sold: '0~17~7~8~0~15~7~8~0~17~7~8~0~36~7~9~0~45~7~10~0~47~7~8~0070~111~3~7~0~5~3~15~0~36~7~13~0~5~7~20~0~69~7~8~0~15~7~8~0~35~7~27~0~41~7~17~0~6~7~10~0~20~7~11~0~154~50~12~7~8~0~24~7~8~0~28~7~8~0~8~7~9~0~41~7~17~0~32~7~11~0~42~6~12~0~154~77770~7~6~5~0~40~',
  },
  'me-south-1': {
    zones: 'abc',
    sold: '0~17~7~24~070777707~7~0~10~7~8~0~8~7~17~0~9~7~9~0~11~7~8~0~182~77770~13~6~6~0~66~7~13~0~5~7~9~0~49~66660~26~7~8~0~15~7~8~0~35~7~27~0~41~7~8~0~47~7~11~0~168~7~8~0~24~7~8~0~28~7~8~0~8~7~9~0~41~7~8~0~204~7~6~0~6~7~6~0~38~33330~54~',
  },
  'sa-east-1': {
    zones: 'abc',
    sold: '0~5~335~9~7~16~3~7~7~82~0~11~7~8~3~8~0~8~7~17~0~11~7~11~0~11~7~20~007~7~6~12~0~84~7~6~3~7~0~5~3~7~0~7~33330~11~3330~17~7~60~370~16~777744440~5~1~6~5~9~7~16~5~7~7~8~0~17~3~6~7~38~5~9~7~19~0~11~7~8~3~8~7~17~0~20~7~11~0~11~7~11~0~11~7~19~0~93~504460065~10~7~8~5~15~7~17~0~8~7~8~0~10~7~27~0~41~7~28~0~21~7~11~0~11~7~11~0~11~7~19~0~86~15~6~7~20~0~6~7003775574500005~7~0~8~7~11~0~25~7~13~0~6~',
  },
  'us-east-1': {
    zones: 'abcdef',
    sold: '7~5~FFNNNNN_____l~24~7l7llllFl~155~ddddldddddldl~43~F~12~l~12~F~40~____F~9~0VVFl~14~F~5~l~7~F~17~5~5~FFFdddd0~5~4440VVVV_~5~l~13~_~9~l~21~F~10~7~10~F~5~llllddddF~12~NNNN_~5~l~49~dl~106~FFl~48~F~11~l~11~F~11~l~45~F~25~l~12~F~27~CF6__0545NNNNN_~5~l~24~F~8~l~170~F~11~l~11~F~11~l~45~F~25~l~12~F~21~l_~6~l~20~FFFFac4000F~6~BA999__F~5~l~20~7~5~0~7~F~11~l~20~',
  },
  'us-east-2': {
    zones: 'abc',
    sold: '3~5~0~6~7~21~3~7~7~163~0~11~7~20~007~20~0~12~7~22~0070~5~7~29~0~9~7~14~0~5~7~30~37~6~2~5~00027~97~0~10~7~214~0~11~7~11~0~11~7~29~007~23~007~10~007~10~0070~5~7~21~0707777707~215~0~11~7~11~0~11~7~29~007~23~007~10~007~10~007~22~07~31~444070777333330000773~5~7~20~0~13~7~25~3~6~',
  },
  'us-west-1': {
    zones: 'ab',
    sold: '0~5~3~28~0~7~3~62~0~9~3~39~0~8~3~17~0~11~3~11~0~23~3~8~003~20~0~66~33330~13~3~6~0~62~3~17~0~5~3~31~0~27~33330~9~3~50~0~17~3~75~0~11~3~35~0~20~3~11~0~35~3~19~0~95~3002003~35~0~8~3~8~0~8~3~47~0~41~3~28~0~21~3~11~0~11~3~11~0~11~3~19~0~86~3~32~0~34~3~11~0~39~3~6~',
  },
  'us-west-2': {
    zones: 'abcd',
    sold: '5~5~7~11~F~16~B~7~F~72~7~9~F~89~00F~21~00F~30~00F~68~86667~20~F~34~66660~9~7777F~73~7~5~F~7~7~22~F~33~7~24~F~128~7~8~F~11~7~8~007F~11~7~8~007F~29~00F~23~00F~23~00F~28~6F7FF4DB37~10~F~24~7~8~F~6~7F~9~7~8~F~48~7~19~F~74~7~8~007F~11~7~8~007F~29~00F~23~00F~10~00F~10~00F~22~7~7~F~24~AA80007~6~F62227~7~F~8~7~17~3~7~7~11~F~13~7~6~',
  },
};
