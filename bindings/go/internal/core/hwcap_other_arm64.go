// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

//go:build arm64 && !linux && !darwin && !purego && !openbsd && !plan9

package core

func hwcap() uint64 { return 0 }
