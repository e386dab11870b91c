module rijn.example/rijn-go

go 1.25
