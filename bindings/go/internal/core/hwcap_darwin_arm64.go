// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

//go:build !purego

package core

func hwcap() uint64 { return ^uint64(0) }
