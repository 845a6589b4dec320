import { expect, it } from 'vitest'
import { openFileStore } from '../../../src/wallet/store/file/store.ts'
import { MemoryDisk } from '../../helpers/memory-disk.ts'
import { lock, PATH } from './sample-file.ts'
import { accepted, binding, bytesOf, payment } from './samples.ts'

/**
 * A file that commit 08b9fb7b wrote, which recorded neither contents nor times: `a` rejected, `b` accepted and `c` pending when
 * it was compacted, then a claim of `d`.
 */
const EARLIER = [
  'YXZta3N0MDGehgh5OhErTcnLWOofJAePBMiuBnUkWnsAAAAAAAAAAQAAACq9ldO3AAAAAAAAAAAABZQUiGsevwJdsG',
  'eky9E6CQP72XM6U3K7obWL1ywWmbeYJP2sVarFF8MAAAAAAAAAAgAAACZEVllsAAAAAAAK+nU5MnHxekKadGqN1gkn',
  'Q5Fj2DKOjEFdX6jI3NT+/l0QiHxESDi2IQAAAAAAAAADAAAAvNgJCSwAAAAAAAEAAAADAAAAAWHtcAK0OemshF8iNX',
  '2CK6wURHMPvbYBbT7JQyKXueyfcwIHoLOmh9dHH1V2axjBEQ6SxXxHs1rwjHInfbqY29fodQAAAAFi7XACtDnprIRf',
  'IjV9giusFERzD722AW0+yUMil7nsn3MBVJh/AKV5hLmmBqTwucEwaUnBIt/BRxyxjgQR1/C6yMUAAAABY+1wArQ56a',
  'yEXyI1fYIrrBREcw+9tgFtPslDIpe57J9zAHpHkfRf77xHAAAAAAAAAAQAAACuUYiZLQAAAAAAAgAAAAABAAAAAWMA',
  'AAAAAAAADAAAAJIAAAAAAAAAAAAFlBSIax6/Al2wZ6TL0ToJA/vZczpTcruhtYvXLBaZt5gAAAAAAAAAAdygye3K35',
  'tR3fiz983QIDdRGaCeum4rbNF0L3IQnPVzAAAAB9WThuCuQ14pL74OvNuVS3XtX7OSIJEnfLGfeY/F1QcYAAAABQAA',
  'AAAAAAABAAAAAQAAAAAAAAAAAAAAAFvbwr/HwY5vAAAAAAAAAAUAAAAuJOGI7wAAAAAACAegs6aH10cfVXZrGMERDp',
  'LFfEezWvCMcid9upjb1+h1AAAAAAAAAAD0y9jjxoMqTwAAAAAAAAAGAAAAV0IHvtsAAAAAAAksuURPI17M3+Rhf6lV',
  'wtgXOIgg1ONiZsgRBnhBZ7t4agAAAAEAAAABYQAAAAFs4UmKTnC41FVta6g1kjh3ZtUpDnfYimWup2rl9xYwRAAAAA',
  'f1U53Td8sYCAAAAAAAAAAHAAAAz+AxbrQAAAAAAAMAAAAAAQAAAAFk7XACtDnprIRfIjV9giusFERzD722AW0+yUMi',
  'l7nsn3MAAAAAAAAAAAwAAACSAAAAAAAAAAAABZQUiGsevwJdsGeky9E6CQP72XM6U3K7obWL1ywWmbeYAAAAAAAAAA',
  'HiGw0EItobWNHwKpUVKEBYVnm1/QCXApUyd7Rk45KxOQAAAAfVk4bgrkNeKS++DrzblUt17V+zkiCRJ3yxn3mPxdUH',
  'GAAAAAUAAAAAAAAAAQAAAAEAAAAAAAAAAAAAAAC3cKdRRVt9oQ==',
].join('')

it('opens files without contents and times, says nothing about them, and records those of new payments', async () => {
  const disk = new MemoryDisk()
  disk.put(PATH, new Uint8Array(Buffer.from(EARLIER, 'base64')))
  const open = () => openFileStore(PATH, { disk: disk.disk(), lock })
  const content = bytesOf('what')
  const withContent = (key: string, inputs: string) => {
    const claim = payment(key, inputs)
    return { ...claim, payments: claim.payments.map((one) => ({ ...one, content })) }
  }
  const shown = async (store: ReturnType<typeof open>) => {
    const records = await store.payments(['a', 'b', 'c', 'd', 'e'])
    return records.map(({ status, content: of, claimedAt, endedAt }) => [
      status,
      of,
      claimedAt !== undefined,
      endedAt !== undefined,
    ])
  }
  const first = open()
  await first.bind(binding)
  expect(await first.binding()).toEqual(binding)
  expect(await shown(first)).toEqual([
    ['rejected', undefined, false, false],
    ['accepted', undefined, false, false],
    ['pending', undefined, false, false],
    ['pending', undefined, false, false],
    ['unknown', undefined, false, false],
  ])
  await first.recordAcceptance(accepted(payment('d', 'd'), 'd'))
  await first.claim(withContent('e', 'e'))
  const expected = [
    ['rejected', undefined, false, false],
    ['accepted', undefined, false, false],
    ['pending', undefined, false, false],
    ['accepted', undefined, false, true],
    ['pending', content, true, false],
  ]
  expect(await shown(first)).toEqual(expected)
  await first.close()
  const second = open()
  expect(await shown(second)).toEqual(expected)
  await second.compact()
  await second.close()
  const third = open()
  expect(await shown(third)).toEqual(expected)
  await third.close()
})
