module rijn.org/rijn-go

go 1.25
