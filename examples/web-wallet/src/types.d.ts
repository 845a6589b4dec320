declare module '*.css'

interface ImportMeta {
  readonly env: {
    /** URL of the documentation of avmkit; empty if it was not built. */
    readonly VITE_DOCS: string
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
