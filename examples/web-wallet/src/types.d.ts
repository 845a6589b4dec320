declare module '*.css'

interface ImportMeta {
  readonly env: {
    /** URL of the site that `npm run docs` of avmkit writes, for links to its error pages. */
    readonly VITE_DOCS?: string
  }
}

interface Navigator {
  /** WebHID, which not every browser has. */
  readonly hid?: {
    requestDevice(options: {
      readonly filters: readonly { readonly vendorId: number }[]
    }): Promise<readonly (import('avmkit/ledger').WebHIDDevice & OpenableDevice)[]>
  }
}

interface OpenableDevice {
  readonly opened: boolean
  open(): Promise<void>
  close(): Promise<void>
}
